import { afterEach, expect, test, vi } from 'vitest';
import { forgetPasskey, keepPasskeys } from './passkey-signals.ts';
import { passkeyUnavailableReason } from './passkeys.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['https://192.0.2.1', true, 'Passkeys do not work at 192.0.2.1. Open the site by its name to use one.'],
  ['https://[::1]:3000', true, 'Passkeys do not work at [::1]. Open the site by its name to use one.'],
  ['http://portal.example.com', false, 'Passkeys need an encrypted address (https).'],
  ['https://portal.example.com', true, null],
])('at %s it is said why there are no passkeys, if so (M7)', (address, isSecureContext, sentence) => {
  vi.stubGlobal('PublicKeyCredential', () => {});
  vi.stubGlobal('window', { location: new URL(address), isSecureContext });
  expect(passkeyUnavailableReason()).toBe(sentence);
});

test('a browser that knows no passkeys is told so (M7)', () => {
  vi.stubGlobal('window', { location: new URL('https://portal.example.com'), isSecureContext: true });
  expect(passkeyUnavailableReason()).toBe('This browser has no passkeys.');
});

test('a device is told which passkey works no more, and which somebody has; one that does not listen does no harm', async () => {
  const told: unknown[] = [];
  const tell = (what: object) => {
    told.push(what);
    return Promise.resolve();
  };
  vi.stubGlobal(
    'PublicKeyCredential',
    Object.assign(() => {}, { signalUnknownCredential: tell, signalAllAcceptedCredentials: tell }),
  );
  await forgetPasskey('localhost', 'AAAA');
  await keepPasskeys('localhost', 'CCCC', ['BBBB']);
  expect(told).toEqual([
    { rpId: 'localhost', credentialId: 'AAAA' },
    { rpId: 'localhost', userId: 'CCCC', allAcceptedCredentialIds: ['BBBB'] },
  ]);
  vi.stubGlobal('PublicKeyCredential', undefined);
  await forgetPasskey('localhost', 'AAAA');
  await keepPasskeys('localhost', 'CCCC', ['BBBB']);
});
