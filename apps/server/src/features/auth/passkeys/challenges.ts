/** Stateless challenges: an expiry with an HMAC over purpose and browser. Answered challenges are stored, so each works once. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { signInProblems } from '@vestibule/contract/sign-in';
import { passkeySeconds } from '@vestibule/contract/sign-in/passkeys';
import type { AuthenticationResponse } from '@vestibule/contract/sign-in/web-authn';
import { fail } from '../../../platform/errors/failure.ts';
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { readClientData } from './authenticator.ts';
import type { AnsweredChallenge } from './passkey-store.ts';

const bindingCookie = '__Host-vestibule-passkey';
const nonceBytes = 16;
const timeBytes = 6;
const headBytes = nonceBytes + timeBytes;
const proofBytes = 32;

export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges(deps: { secret: Buffer; now: () => number }) {
  const { now } = deps;
  const proofOf = createKeyedHash(deps.secret, 'vestibule challenge of a sign-in');

  return {
    /** `binding` names the purpose and the browser or session. */
    create(binding: string): string {
      const head = Buffer.concat([randomBytes(nonceBytes), Buffer.alloc(timeBytes)]);
      head.writeUIntBE(Math.floor(now() / 1000) + passkeySeconds, nonceBytes, timeBytes);
      return Buffer.concat([head, proofOf(head, binding)]).toString('base64url');
    },

    /** Returns the challenge of a response; throws if it is expired or has another binding. */
    read(response: AuthenticationResponse, binding: string): AnsweredChallenge & { text: string } {
      const { challenge } = readClientData(response);
      const bytes = Buffer.from(typeof challenge === 'string' ? challenge : '', 'base64url');
      const head = bytes.subarray(0, headBytes);
      const proof = bytes.subarray(headBytes);
      if (proof.length !== proofBytes || !timingSafeEqual(proof, proofOf(head, binding)))
        throw fail(signInProblems.expired);
      const endsAt = head.readUIntBE(nonceBytes, timeBytes) * 1000;
      if (endsAt <= now()) throw fail(signInProblems.expired);
      const hash = createHash('sha256').update(bytes).digest();
      return { text: bytes.toString('base64url'), hash, endsAt: new Date(endsAt) };
    },

    /** Returns the binding of this browser. If the browser has none, creates one if `isNew` is true, and returns null otherwise. */
    browserBinding(cookies: Cookies, isNew: boolean): string | null {
      const cookie = cookies.get(bindingCookie);
      const existing = cookie !== null && /^[\w-]{43}$/.test(cookie) ? cookie : null;
      if (existing === null && !isNew) return null;
      const value = existing ?? randomBytes(32).toString('base64url');
      if (isNew) cookies.set(bindingCookie, value, passkeySeconds);
      return value;
    },
  };
}
