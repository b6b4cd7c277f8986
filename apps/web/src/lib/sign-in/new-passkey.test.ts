import { expect, test, vi } from 'vitest';
import { createPasskey } from './new-passkey.ts';
import { requestPasskey } from './passkeys.ts';

const options = {
  rp: { id: 'localhost', name: 'Vestibule' },
  user: { id: 'AAAA', name: 'ann@example.com', displayName: 'Ann' },
  challenge: 'AAAA',
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
} as never;

/** The sentence that a person reads when their browser answers with this error. */
async function saidOf(name: string, ask: 'create' | 'get'): Promise<string> {
  const refuse = () => Promise.reject(new DOMException('in the words of the browser', name));
  vi.stubGlobal('PublicKeyCredential', () => {});
  vi.stubGlobal('navigator', { credentials: { create: refuse, get: refuse } });
  vi.stubGlobal('window', { location: new URL('http://localhost'), isSecureContext: true });
  try {
    await (ask === 'create' ? createPasskey(options) : requestPasskey(options));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  } finally {
    vi.unstubAllGlobals();
  }
}

const another = /^No passkey was created\. Try again, or continue another way\.$/;
const cannotKeep = /^This device could not save a passkey\. Use another device, or continue another way\.$/;

test.each([
  ['NotAllowedError', another],
  ['AbortError', another],
  ['TypeError', another],
  ['an error that nobody knows', another],
  ['OperationError', /^The browser is still asking .* or continue another way\.$/],
  ['InvalidStateError', /already has a passkey of yours for this site\. Sign in with it/],
  ['ConstraintError', cannotKeep],
  ['NotSupportedError', cannotKeep],
  ['NotReadableError', cannotKeep],
  ['UnknownError', cannotKeep],
])('a device that answers a new passkey with %s: a sentence with a way on (M7)', async (name, sentence) => {
  expect(await saidOf(name, 'create')).toMatch(sentence);
});

test.each([
  ['NotAllowedError', /request a code by e-mail\.$/],
  ['OperationError', /or continue another way\.$/],
  ['UnknownError', /request a code by e-mail\.$/],
])('a device that answers a sign-in with %s: the same (M7)', async (name, sentence) => {
  expect(await saidOf(name, 'get')).toMatch(sentence);
});
