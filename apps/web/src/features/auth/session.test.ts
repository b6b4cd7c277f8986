import { getMe } from '@vestibule/contract/profile/me';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { call, setTokenProvider } from '../../lib/call.ts';
import type { AuthClient } from './auth-client.ts';
import { createSession } from './session.ts';
import { readStored, writeStored } from './storage/storage.ts';

function createStorage() {
  const entries: Record<string, string> = {};
  const methods = {
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, value: string) => (entries[name] = value),
    removeItem: (name: string) => delete entries[name],
    clear: () => Object.keys(entries).forEach((name) => delete entries[name]),
  };
  // Object.keys lists the stored names only, as in a browser.
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(entries, name, { value, enumerable: false });
  return entries;
}

const navigation = () => vi.fn<(address: string) => void>();
const location = {
  pathname: '/layout/people',
  search: '',
  hash: '',
  assign: navigation(),
  replace: navigation(),
};
const otherTab = new BroadcastChannel('vestibule');
const authClient = {
  account: () => ({ email: 'ann@example.com', name: 'Ann' }),
  session: () => null,
  accessToken: async () => null,
  signIn: async () => 'https://provider.example.com/authorize',
} as unknown as AuthClient;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const storages = { localStorage: createStorage(), sessionStorage: createStorage() };
  vi.stubGlobal('window', { ...storages, location, addEventListener: () => {} });
  vi.stubGlobal('document', { cookie: '' });
});
afterEach(() => {
  setTokenProvider(null);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

describe('a call without a token, whose storage was cleared by another tab,', () => {
  /** Starts a call of a signed-in tab whose local storage is empty. */
  async function startCall(): Promise<void> {
    writeStored('userDetail', { Id: '1', Email: 'ann@example.com', DisplayName: 'Ann', IsAdmin: false });
    createSession({
      configuration: {} as never,
      authClient,
      redirect: { kind: 'none' },
      invitation: null,
      isHistoryNavigation: false,
    });
    void call(getMe);
    await vi.advanceTimersByTimeAsync(900);
  }

  test('waits for the reason and goes to the start page (C6)', async () => {
    await startCall();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is same-origin
    otherTab.postMessage({ kind: 'signed-out', reason: { message: 'Your account is disabled.' } });
    await vi.waitFor(() => expect(location.replace).toHaveBeenCalledWith('/'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(readStored('errorMessage')?.message).toBe('Your account is disabled.');
    expect(location.assign).not.toHaveBeenCalled();
  });

  test('starts a sign-in if no reason arrives within a second', async () => {
    await startCall();
    expect(location.assign).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(location.assign).toHaveBeenCalledWith('https://provider.example.com/authorize');
  });
});
