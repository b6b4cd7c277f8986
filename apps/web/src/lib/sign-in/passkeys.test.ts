import { afterEach, expect, test, vi } from 'vitest';
import { signalUnknownPasskey, signalAcceptedPasskeys } from './passkey-signals.ts';
import { passkeyUnavailableReason } from './passkeys.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['https://192.0.2.1', true, 'Passkeys do not work at 192.0.2.1. Open the site by its name to use one.'],
  ['https://[::1]:3000', true, 'Passkeys do not work at [::1]. Open the site by its name to use one.'],
  ['http://portal.example.com', false, 'Passkeys need an encrypted address (https).'],
  ['https://portal.example.com', true, null],
])(
  'passkeyUnavailableReason explains whether passkeys work at %s (M7)',
  (address, isSecureContext, sentence) => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    vi.stubGlobal('window', { location: new URL(address), isSecureContext });
    expect(passkeyUnavailableReason()).toBe(sentence);
  },
);

test('passkeyUnavailableReason reports a browser without passkeys (M7)', () => {
  vi.stubGlobal('window', { location: new URL('https://portal.example.com'), isSecureContext: true });
  expect(passkeyUnavailableReason()).toBe('This browser has no passkeys.');
});

test('unknown and accepted passkeys are signaled to the browser if it supports these signals', async () => {
  const signals: unknown[] = [];
  const signal = (options: object) => {
    signals.push(options);
    return Promise.resolve();
  };
  vi.stubGlobal(
    'PublicKeyCredential',
    Object.assign(() => {}, { signalUnknownCredential: signal, signalAllAcceptedCredentials: signal }),
  );
  await signalUnknownPasskey('localhost', 'AAAA');
  await signalAcceptedPasskeys('localhost', 'CCCC', ['BBBB']);
  expect(signals).toEqual([
    { rpId: 'localhost', credentialId: 'AAAA' },
    { rpId: 'localhost', userId: 'CCCC', allAcceptedCredentialIds: ['BBBB'] },
  ]);
  vi.stubGlobal('PublicKeyCredential', undefined);
  await signalUnknownPasskey('localhost', 'AAAA');
  await signalAcceptedPasskeys('localhost', 'CCCC', ['BBBB']);
});
