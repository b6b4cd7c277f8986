import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../install.mjs';

const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-commit-message-'));
afterAll(() => rmSync(directory, { recursive: true }));

function runHook(message: string): { status: number | null; stderr: string } {
  const file = path.join(directory, 'message');
  writeFileSync(file, `${message}\n`);
  return spawnSync('sh', [path.join(root, 'tools/hooks/commit-msg'), file], { encoding: 'utf8' });
}

describe('the hook commit-msg', () => {
  test.each([
    'grid: keep focus when a row is deleted',
    'bench, tools: rename files\n\nReasons follow here.',
    'release: 1.2.3',
    'fixup! grid: keep focus',
  ])('accepts "%s"', (message) => {
    expect(runHook(message)).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    ['Keep focus when a row is deleted', 'no area'],
    ['grid: Keep focus', 'starts with a capital'],
    ['grid: keep focus.', 'ends with a period'],
    ['grid: fixed the focus', 'not an imperative'],
    [`grid: keep ${'x'.repeat(62)}`, 'more than 72 characters'],
  ])('rejects "%s"', (message, reason) => {
    const { status, stderr } = runHook(message);
    expect(status).toBe(1);
    expect(stderr).toContain(reason);
  });
});
