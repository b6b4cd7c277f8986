import { resolveObjectURL } from 'node:buffer';
import { expect, test, vi } from 'vitest';
import { saveFile } from './save-file.ts';

test('a saved file can be read while the user confirms the download, and is released afterwards', () => {
  vi.useFakeTimers();
  const link = { href: '', download: '', click() {} };
  vi.stubGlobal('document', { createElement: () => link });
  saveFile(new Blob(['Name\r\n']), 'people.csv');
  expect(link.download).toBe('people.csv');
  vi.advanceTimersByTime(200_000);
  expect(resolveObjectURL(link.href)?.size).toBe(6);
  vi.advanceTimersByTime(200_000);
  expect(resolveObjectURL(link.href)).toBeUndefined();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
