import { expect, test, vi } from 'vitest';
import { formatDay } from './format-day.ts';

test('a day without a time is the same in every time zone, and that of a moment is not', () => {
  vi.stubEnv('TZ', 'America/Los_Angeles');
  expect(formatDay('2026-12-31')).toMatch(/31.*2026/);
  expect(formatDay('2027-01-01T00:00:00Z')).toMatch(/31.*2026/);
  vi.unstubAllEnvs();
});
