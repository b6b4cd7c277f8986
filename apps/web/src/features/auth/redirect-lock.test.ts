import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRedirectLock } from './redirect-lock.ts';

const navigation = () => vi.fn<(address?: string) => void>();
const location = { assign: navigation(), replace: navigation(), reload: navigation() };
beforeEach(() => vi.stubGlobal('window', { location, addEventListener: () => {} }));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

test.each([
  ['going to the start page', 'goToStartPage'],
  ['reloading', 'reload'],
] as const)('%s cancels a sign-in redirect that was started before (F6)', async (_name, action) => {
  const lock = createRedirectLock();
  const address = Promise.withResolvers<string>();
  void lock.navigateTo(() => address.promise);
  void lock[action]();
  address.resolve('https://provider.example.com/authorize');
  await new Promise((resolve) => setTimeout(resolve));
  expect(location.assign).not.toHaveBeenCalled();
});

test('navigateTo navigates to the provider if no other navigation was started', async () => {
  const lock = createRedirectLock();
  void lock.navigateTo(() => Promise.resolve('https://provider.example.com/authorize'));
  await new Promise((resolve) => setTimeout(resolve));
  expect(location.assign).toHaveBeenCalledWith('https://provider.example.com/authorize');
});
