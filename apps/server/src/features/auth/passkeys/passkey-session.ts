/** Sessions of people who sign in by passkey or code. */
import { personErrors } from '@vestibule/contract/people';
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { storeVerifiedAddress, type PersonRow } from '../../people/people-store.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import { signInOf, sessionKey } from '../sessions/sessions.ts';
import type { SignInContext } from '../sign-in-context.ts';
import { passkeyIdentity } from './passkey-store.ts';
import type { Role } from '@vestibule/contract/rules/role';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';

export function createPasskeySession(
  deps: Pick<SignInContext, 'sessions' | 'recordProviderResult' | 'newId'>,
  person: PersonRow,
  { id = deps.newId(), handle, ...browser }: BrowserContext & { id?: string; handle: string },
  inTransaction?: (transaction: Queryable) => Promise<void>,
): Promise<void> {
  const { sessions, recordProviderResult } = deps;
  if (person.status === 'disabled') throw fail(personErrors.disabled);
  recordProviderResult(passkeyMethod, null);
  const noTokens = { idToken: null, refreshToken: null, sid: null };
  return sessions.create(
    person,
    { ...passkeyIdentity(handle), ...noTokens, ...browser, id, way: passkeyMethod },
    inTransaction,
  );
}

/** Provisions a user and creates a session. `inTransaction` runs in the transaction that creates the person. */
export async function signInNewPasskeyUser(
  deps: SignInContext,
  user: {
    email: string;
    isVerified: boolean;
    invitationId: string | null;
    name: string | null;
    handle: string;
  },
  browser: BrowserContext,
  inTransaction?: (transaction: Queryable, personId: string) => Promise<void>,
): Promise<void> {
  const { handle } = user;
  const id = deps.newId();
  const person = await deps.provisionUser({
    ...passkeyIdentity(handle),
    way: passkeyMethod,
    address: user.email,
    isVerified: user.isVerified,
    claimed: user.invitationId,
    name: user.name,
    signIn: signInOf(sessionKey(id), new Date(deps.now()), browser.origin),
    origin: browser.origin,
    ...(inTransaction && { inTransaction }),
  });
  await createPasskeySession(deps, person, { ...browser, id, handle });
  if (user.isVerified) await storeVerifiedAddress(deps.database, passkeyIdentity(handle), person.email);
}

/** Returns whether the settings require a passkey for this role, so that a code alone is not enough. */
export async function needsPasskey(settings: SettingsStore, role: Role): Promise<boolean> {
  const { passkeyRequired } = await settings.current();
  return passkeyRequired === 'everybody' || (passkeyRequired === 'administrators' && role === 'admin');
}

const cookie = '__Host-vestibule-seen-passkey';
const monthSeconds = 30 * 24 * 60 * 60;

export function markPasskeySeen(cookies: Cookies): void {
  cookies.set(cookie, '1', monthSeconds);
}

/** Returns the offer at most once a month per browser. Called after a sign-in by code, since the user may have lost the passkey. */
export function offerAnotherPasskey(cookies: Cookies): 'offer-another-passkey' | null {
  if (cookies.get(cookie) !== null) return null;
  markPasskeySeen(cookies);
  return 'offer-another-passkey';
}
