import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bootstrap } from './bootstrap.ts';
import type { RedirectOutcome } from './auth-client.ts';
import { dashboard, saveUrl } from './storage/return-url.ts';
import { ProviderError } from './provider/provider-error.ts';
import type { Session } from './session.ts';

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('window', {
    sessionStorage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    },
  });
  vi.stubGlobal('document', { querySelector: () => null });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Of somebody who is inside by B2C, back with what the provider said. */
const insideWith = (redirect: RedirectOutcome) =>
  ({
    redirectKind: () => redirect.kind,
    takeRedirect: () => redirect,
    account: () => ({ email: 'ann@example.com', name: 'Ann' }),
    findUser: async () => ({ Id: '1', Email: 'ann@example.com', DisplayName: 'Ann', IsAdmin: false }),
  }) as unknown as Session;
const cancelled = new ProviderError('cancelled', 'The page was left.', {
  said: '',
  reference: '',
  cause: null,
});

test('a confirmation is told after a sign-in only', async () => {
  saveUrl('/layout/profile?tab=1&back=confirmed');
  expect(await bootstrap(insideWith({ kind: 'sign-in', error: null }))).toBe(
    '/layout/profile?tab=1&back=confirmed',
  );
  saveUrl('/layout/profile?back=confirmed');
  expect(await bootstrap(insideWith({ kind: 'none' }))).toBe('/layout/profile');
  expect(await bootstrap(insideWith({ kind: 'none' }))).toBe(dashboard);
});

test('whoever leaves the page of the provider instead of confirming comes back unconfirmed, and is not signed out', async () => {
  saveUrl('/layout/profile?tab=1&back=confirmed');
  expect(await bootstrap(insideWith({ kind: 'sign-in', error: cancelled }))).toBe('/layout/profile?tab=1');
});

test('a sign-in that is cancelled leads to the error screen', async () => {
  saveUrl('/layout/profile');
  expect(await bootstrap(insideWith({ kind: 'sign-in', error: cancelled }))).toBe('/error');
});
