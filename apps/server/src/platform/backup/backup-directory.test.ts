import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteOldBackups, fileAt } from './backup-directory.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'vestibule-backups-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('only backups that are older than the newest ones are deleted, with partial files of killed processes', () => {
  const days = ['2026-11-29', '2026-11-30', '2026-12-01'] as const;
  const [first, second, third] = days.map((day) => fileAt(directory, new Date(`${day}T03:15:00Z`)));
  const others = [
    '2026-11-01.backup',
    '2026-11-01T0315.backup.keep',
    'before-update.backup',
    'notes.txt',
    '2026-12-01T0316.backup.0a1b2c3d.partial',
  ];
  for (const file of [first, `${first}.0a1b2c3d.partial`, second, third]) writeFileSync(file as string, '');
  for (const name of others) writeFileSync(path.join(directory, name), '');

  expect(deleteOldBackups(directory, 4)).toEqual([]);
  expect(deleteOldBackups(directory, 2)).toEqual([
    '2026-11-29T0315.backup',
    '2026-11-29T0315.backup.0a1b2c3d.partial',
  ]);
  const kept = [...others, '2026-11-30T0315.backup', '2026-12-01T0315.backup'];
  expect(readdirSync(directory).toSorted()).toEqual(kept.toSorted());
});
