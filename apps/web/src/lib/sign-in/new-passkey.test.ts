import { expect, test, vi } from 'vitest';
import { createPasskey } from './new-passkey.ts';
import { requestPasskey } from './passkeys.ts';

const options = {
  rp: { id: 'localhost', name: 'Vestibule' },
  user: { id: 'AAAA', name: 'ann@example.com', displayName: 'Ann' },
  challenge: 'AAAA',
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
} as never;

/** Returns the message for a browser error of this name. */
async function messageFor(name: string, operation: 'create' | 'get'): Promise<string> {
  const refuse = () => Promise.reject(new DOMException('in the words of the browser', name));
  vi.stubGlobal('PublicKeyCredential', () => {});
  vi.stubGlobal('navigator', { credentials: { create: refuse, get: refuse } });
  vi.stubGlobal('window', { location: new URL('http://localhost'), isSecureContext: true });
  try {
    await (operation === 'create' ? createPasskey(options) : requestPasskey(options));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  } finally {
    vi.unstubAllGlobals();
  }
}

const another = /^No passkey was created\. Try again, or continue another way\.$/;
const cannotStore = /^This device could not save a passkey\. Use another device, or continue another way\.$/;

test.each([
  ['NotAllowedError', another],
  ['AbortError', another],
  ['TypeError', another],
  ['an unknown error', another],
  ['OperationError', /^The browser is still asking .* or continue another way\.$/],
  ['InvalidStateError', /already has a passkey of yours for this site\. Sign in with it/],
  ['ConstraintError', cannotStore],
  ['NotSupportedError', cannotStore],
  ['NotReadableError', cannotStore],
  ['UnknownError', cannotStore],
])('createPasskey explains %s and names an alternative (M7)', async (name, sentence) => {
  expect(await messageFor(name, 'create')).toMatch(sentence);
});

test.each([
  ['NotAllowedError', /request a code by e-mail\.$/],
  ['OperationError', /or continue another way\.$/],
  ['UnknownError', /request a code by e-mail\.$/],
])('requestPasskey explains %s and names an alternative (M7)', async (name, sentence) => {
  expect(await messageFor(name, 'get')).toMatch(sentence);
});
