import { afterEach, expect, test, vi } from 'vitest';
import { readConfig } from '../platform/config/read-config.ts';
import { testEnvironment } from '../test/test-app.ts';
import { findUnknownHosts } from './unknown-hosts.ts';

const config = readConfig({
  ...testEnvironment,
  AUTH_BASE_URL: 'https://contso.b2clogin.com',
  SIGN_IN_WITH: 'b2c,oidc',
  OIDC_PROVIDERS: 'acme,here',
  OIDC_ACME_ISSUER: 'https://login.acme.test/realm',
  OIDC_ACME_CLIENT_ID: 'vestibule',
  OIDC_ACME_CLIENT_SECRET: 'a secret',
  OIDC_HERE_ISSUER: 'http://[::1]:8080',
  OIDC_HERE_CLIENT_ID: 'vestibule',
  OIDC_HERE_CLIENT_SECRET: 'a secret',
});
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

afterEach(() => void vi.useRealTimers());

test('findUnknownHosts names the variable of each host that does not exist', async () => {
  const lookedUp: string[] = [];
  const messages = await findUnknownHosts(config, (host) => {
    lookedUp.push(host);
    return host === '::1' ? Promise.resolve() : failing('ENOTFOUND')();
  });
  expect(lookedUp).toEqual(['contso.b2clogin.com', 'login.acme.test', '::1']);
  expect(messages).toEqual([
    expect.stringMatching(
      /^AUTH_BASE_URL names a host that does not exist, contso\.b2clogin\.com: .*Correct/,
    ),
    expect.stringMatching(/^OIDC_ACME_ISSUER .* login\.acme\.test/),
  ]);
});

test('findUnknownHosts ignores failures and timeouts of the name server', async () => {
  expect(await findUnknownHosts(config, failing('EAI_AGAIN'))).toEqual([]);
  vi.useFakeTimers();
  const result = findUnknownHosts(config, () => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await result).toEqual([]);
});

test('findUnknownHosts skips the embedded sign-in service', async () => {
  const find = vi.fn<() => Promise<never>>(failing('ENOTFOUND'));
  expect(await findUnknownHosts(readConfig({ SIGN_IN_WITH: 'b2c' }), find)).toEqual([]);
  expect(find).not.toHaveBeenCalled();
});
