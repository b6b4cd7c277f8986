import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bootstrap } from './bootstrap.ts';
import type { RedirectOutcome } from './auth-client.ts';
import { dashboard, saveUrl } from './storage/return-url.ts';
import { ProviderError } from './provider/provider-error.ts';
import type { Session } from './session.ts';

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('window', {
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
  });
  vi.stubGlobal('document', { querySelector: () => null });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Session of a B2C user who returns with this redirect outcome. */
const sessionWith = (redirect: RedirectOutcome) =>
  ({
    redirectKind: () => redirect.kind,
    takeRedirect: () => redirect,
    account: () => ({ email: 'ann@example.com', name: 'Ann' }),
    findUser: async () => ({ Id: '1', Email: 'ann@example.com', DisplayName: 'Ann', IsAdmin: false }),
  }) as unknown as Session;
const cancelled = new ProviderError('cancelled', 'The page was left.', {
  providerText: '',
  reference: '',
  cause: null,
});

test('bootstrap returns an address with back=confirmed only after a sign-in', async () => {
  saveUrl('/layout/profile?tab=1&back=confirmed');
  expect(await bootstrap(sessionWith({ kind: 'sign-in', error: null }))).toBe(
    '/layout/profile?tab=1&back=confirmed',
  );
  saveUrl('/layout/profile?back=confirmed');
  expect(await bootstrap(sessionWith({ kind: 'none' }))).toBe('/layout/profile');
  expect(await bootstrap(sessionWith({ kind: 'none' }))).toBe(dashboard);
});

test('a user who cancels a confirmation at the provider stays signed in and returns without back=confirmed', async () => {
  saveUrl('/layout/profile?tab=1&back=confirmed');
  expect(await bootstrap(sessionWith({ kind: 'sign-in', error: cancelled }))).toBe('/layout/profile?tab=1');
});

test('bootstrap shows the error screen after a cancelled sign-in', async () => {
  saveUrl('/layout/profile');
  expect(await bootstrap(sessionWith({ kind: 'sign-in', error: cancelled }))).toBe('/error');
});
