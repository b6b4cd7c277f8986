/** A sign-in service whose host is no name is told at the start. */
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
  OIDC_ACME_CLIENT_ID: 'door',
  OIDC_ACME_CLIENT_SECRET: 'a secret',
  OIDC_HERE_ISSUER: 'http://[::1]:8080',
  OIDC_HERE_CLIENT_ID: 'door',
  OIDC_HERE_CLIENT_SECRET: 'a secret',
});
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

afterEach(() => void vi.useRealTimers());

test('a host that does not exist is told with its variable', async () => {
  const asked: string[] = [];
  const told = await findUnknownHosts(config, (host) => {
    asked.push(host);
    return host === '::1' ? Promise.resolve() : failing('ENOTFOUND')();
  });
  expect(asked).toEqual(['contso.b2clogin.com', 'login.acme.test', '::1']);
  expect(told).toEqual([
    expect.stringMatching(
      /^AUTH_BASE_URL names a host that does not exist, contso\.b2clogin\.com: .*Correct/,
    ),
    expect.stringMatching(/^OIDC_ACME_ISSUER .* login\.acme\.test/),
  ]);
});

test('a name server that fails, or does not answer, says nothing about a name', async () => {
  expect(await findUnknownHosts(config, failing('EAI_AGAIN'))).toEqual([]);
  vi.useFakeTimers();
  const waiting = findUnknownHosts(config, () => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await waiting).toEqual([]);
});

test('nobody is asked where the sign-in service is the embedded one', async () => {
  const find = vi.fn<() => Promise<never>>(failing('ENOTFOUND'));
  expect(await findUnknownHosts(readConfig({ SIGN_IN_WITH: 'b2c' }), find)).toEqual([]);
  expect(find).not.toHaveBeenCalled();
});
