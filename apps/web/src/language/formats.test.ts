import { expect, onTestFinished, test, vi } from 'vitest';
import { formatEnd, formatSize } from './formats.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1_000, '1,000 bytes'],
  [1_024, '1 kB'],
  [1_300_000, '1.24 MB'],
  [5 * 1024 ** 3, '5 GB'],
  [12.3 * 1024 ** 4, '12.3 TB'],
])('%d bytes are "%s" (K7)', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('formatEnd returns the date, the time and the time zone', () => {
  expect(formatEnd('2026-11-28T00:28:00Z')).toMatch(/28.*2026.*\d\d:28.* \S+$/);
});

test('formatDay returns a day without a time unchanged in every time zone, and the local day of a moment', async () => {
  vi.stubEnv('TZ', 'America/Los_Angeles');
  // Formats are kept with the time zone in which they were created.
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });
  const { formatDay } = await import('./formats.ts');
  expect(formatDay('2026-12-31')).toMatch(/31.*2026/);
  expect(formatDay('2027-01-01T00:00:00Z')).toMatch(/31.*2026/);
});
