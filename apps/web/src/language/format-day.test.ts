import { expect, onTestFinished, test, vi } from 'vitest';

test('a day without a time is the same in every time zone, and that of a moment is not', async () => {
  vi.stubEnv('TZ', 'America/Los_Angeles');
  // Formats are kept with the time zone in which they were created.
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });
  const { formatDay } = await import('./format-day.ts');
  expect(formatDay('2026-12-31')).toMatch(/31.*2026/);
  expect(formatDay('2027-01-01T00:00:00Z')).toMatch(/31.*2026/);
});
