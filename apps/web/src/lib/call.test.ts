import { backgroundHeader } from '@vestibule/contract/rules/limits';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

test('a call is marked as background if the last input is more than a minute ago', async () => {
  const window = new EventTarget();
  vi.stubGlobal('window', window);
  const markedAsBackground: boolean[] = [];
  vi.stubGlobal('fetch', (_url: string, { headers }: { headers: Record<string, string> }) => {
    markedAsBackground.push(backgroundHeader in headers);
    return Promise.resolve(Response.json({}));
  });
  vi.resetModules();
  await import('./user-activity.ts');
  const { fetchConfiguration } = await import('./call.ts');
  await fetchConfiguration();
  vi.advanceTimersByTime(60_001);
  await fetchConfiguration();
  window.dispatchEvent(new Event('pointermove'));
  await fetchConfiguration();
  expect(markedAsBackground).toEqual([false, true, false]);
});
