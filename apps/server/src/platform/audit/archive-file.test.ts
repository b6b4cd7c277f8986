/** Archive files reveal alterations, also after an erasure (statements P1 and P2; security 49). */
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { archiveLines, redactArchiveFile, verifyArchiveFile, writeArchiveFile } from './archive-file.ts';
import { auditKey } from './audit-seals.ts';

const key = auditKey(Buffer.from('a secret of the tests, 32 characters or more'));
const earlierFile = fileURLToPath(new URL('activity-1.0.0.jsonl', import.meta.url));
let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-archive-'));
  file = path.join(directory, 'activity-000001.jsonl');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const readLines = async () => (await readFile(file, 'utf8')).trimEnd().split('\n');
const redact = (_kind: string, row: Record<string, unknown>) =>
  row['target_label'] === 'b' ? { ...row, target_label: 'Erased' } : null;

describe.each([
  [
    'of this version',
    () =>
      writeArchiveFile(
        file,
        archiveLines(
          key,
          { kind: 'activity', number: 1, encryptedKey: null },
          ['a', 'b', 'c', 'd\u2028', 'e'].map((label, index) => ({ id: index + 1, target_label: label })),
        ),
      ),
  ],
  ['of version 1.0.0', () => copyFile(earlierFile, file)],
])('an archive %s', (_version, create) => {
  beforeEach(create);

  test('verifies', async () => {
    expect(await verifyArchiveFile(key, file)).toEqual({
      kind: 'activity',
      number: 1,
      checked: 5,
      problem: null,
    });
  });

  test.each([
    ['an altered entry', (lines: string[]) => lines.map((line) => line.replace('"b"', '"B"'))],
    ['a removed entry', (lines: string[]) => lines.toSpliced(3, 1)],
    ['a duplicate entry', (lines: string[]) => lines.toSpliced(3, 0, lines[3] as string)],
    ['lines removed from the end', (lines: string[]) => lines.slice(0, 5)],
    [
      'another number of entries',
      (lines: string[]) => lines.with(0, (lines[0] as string).replace('"row_count":5', '"row_count":4')),
    ],
  ])('does not verify with %s, also after an erasure', async (_what, alter) => {
    const lines = await readLines();
    const altered = alter(lines);
    expect(altered).not.toEqual(lines);
    await writeFile(file, `${altered.join('\n')}\n`);
    expect((await verifyArchiveFile(key, file)).problem).toContain('altered');
    await redactArchiveFile(key, file, (_kind, row) => ({ ...row, target_label: 'Erased' }));
    expect((await verifyArchiveFile(key, file)).problem).toContain('altered');
  });

  test('verifies after an erasure, and remains readable by its owner only (P2)', async () => {
    expect(await redactArchiveFile(key, file, redact)).toBe(1);
    expect(await readFile(file, 'utf8')).not.toMatch(/"target_label":"b"/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await verifyArchiveFile(key, file)).toMatchObject({ number: 1, checked: 5, problem: null });
    expect(await redactArchiveFile(key, file, redact)).toBe(0);
  });
});

test('a file that is no archive is refused', async () => {
  await writeFile(file, 'nonsense\n');
  await expect(verifyArchiveFile(key, file)).rejects.toThrow('no archive');
});
