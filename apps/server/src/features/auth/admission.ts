/** Maps access tokens to people. Role and status are read from the database on every request, never from the token. */
import { normalizeText } from '@vestibule/contract/rules/clean-text';
import { personErrors } from '@vestibule/contract/people';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { DatabaseDeps } from '../../platform/database/database.ts';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import {
  clockToleranceSeconds,
  isEnded,
  isTokenOfPolicy,
  bearerToken,
  createAccessTokenVerifier,
  type AccessTokenClaims,
} from '../../platform/identity/access-token.ts';
import {
  findPeopleByIdentity,
  insertSignIn,
  markSeen,
  storeVerifiedAddress,
  type Identity,
  type PersonRow,
} from '../people/people-store.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import { displayName, type ProvisionUser } from './provision-user.ts';
import type { RecordProviderResult } from './oidc/provider-health.ts';
import { createSignInLimit, signInOf } from './sessions/sessions.ts';
import type { ProviderConfig } from '../../platform/config/read-config.ts';
import type { CallerKind } from '../../platform/http/access.ts';
import type { Provider } from '../../platform/identity/provider.ts';
import { isUuid } from '../../platform/database/new-id.ts';
import { hourMs } from '../../platform/time-units.ts';

const lastSeenIntervalMs = 5 * 60_000;

/** If tokens have no `auth_time`: time without requests after which a token counts as a new sign-in. */
const newVisitAfterMs = 12 * hourMs;
const recordedSignInsMaximum = 20_000;

/** A known person has the address that the provider last reported. */
type AdmittedPerson = PersonRow & {
  provider_email?: string | null;
  provider_email_verified?: boolean | null;
};

type Deps = DatabaseDeps & {
  registration: ProviderConfig;
  provisionUser: ProvisionUser;
  recordProviderResult: RecordProviderResult;
};

/** Creates the admission of access tokens. Tokens of the sign-up policy count as a sign-up and not as a sign-in. */
function createAdmission(deps: Deps) {
  const { database, now } = deps;
  const { invitationClaim, signUpPolicy } = deps.registration;
  const signIns = createSignInLimit(deps);
  const findPerson = createBatchLoader((identities: Identity[]) =>
    findPeopleByIdentity(database, identities),
  );

  const recordedSignIns = new BoundedMap<string, true>(recordedSignInsMaximum);

  return async (claims: AccessTokenClaims, origin: Origin): Promise<Caller> => {
    const person = (await findPerson(identityOf(claims))) ?? (await provision(claims, origin));
    if (person.status === 'disabled') throw fail(personErrors.disabled);
    const isSignUp = isTokenOfPolicy(claims, signUpPolicy);
    // Sign-ups are not recorded as sign-ins. With the time 0, signing out everywhere ends all of them.
    const signedInAt = isSignUp ? 0 : signedInAtOf(claims);
    if (isEnded(signedInAt, person.tokens_valid_after)) throw fail(personErrors.signedOut);
    const at = now();
    await recordVerifiedAddress(person, claims);
    if (!isSignUp) await recordSignIn(person, claims, origin);
    if (!person.last_seen_at || person.last_seen_at.getTime() + lastSeenIntervalMs <= at)
      await markSeen(database, person.id, new Date(at));
    return {
      id: person.id,
      email: person.email,
      displayName: person.display_name,
      isAdmin: person.role === 'admin',
      signedInAt,
      authenticatedAt: typeof claims['auth_time'] === 'number' ? signedInAt : null,
      preferences: { theme: person.theme, language: person.language },
    };
  };

  /** Only the address of the person counts: a provider may report another one. */
  async function recordVerifiedAddress(person: AdmittedPerson, claims: AccessTokenClaims): Promise<void> {
    const { email } = person;
    const isRecorded = person.provider_email === email && person.provider_email_verified;
    if (isRecorded || addressVerification(claims) !== true) return;
    if (canonicalEmail(addressOf(claims) ?? '') === canonicalEmail(email))
      await storeVerifiedAddress(database, identityOf(claims), email);
  }

  async function recordSignIn(person: PersonRow, claims: AccessTokenClaims, origin: Origin): Promise<void> {
    const signInKey = signInKeyOf(claims, person, now());
    if (signInKey === null || recordedSignIns.has(`${person.id} ${signInKey}`)) return;
    const isNew = await database.transaction(async (transaction) => {
      const isFirst = await insertSignIn(transaction, {
        ...signInOf(signInKey, new Date(now()), origin),
        personId: person.id,
      });
      if (isFirst) await signIns.countWithin(transaction, person.id);
      return isFirst;
    });
    if (isNew) deps.recordProviderResult('b2c', null);
    markRecorded(person.id, signInKey);
  }

  function markRecorded(personId: string, signInKey: string): void {
    recordedSignIns.set(`${personId} ${signInKey}`, true);
  }

  async function provision(claims: AccessTokenClaims, origin: Origin): Promise<PersonRow> {
    const isVerified = addressVerification(claims);
    const signInKey = isTokenOfPolicy(claims, signUpPolicy) ? null : signInKeyOf(claims, null, now());
    const person = await deps.provisionUser({
      ...identityOf(claims),
      way: 'b2c',
      address: isVerified === false ? null : addressOf(claims),
      isVerified: isVerified === true,
      // The provider returns the `sub` of the id_token_hint.
      claimed: uuidOrNull(claims[invitationClaim]),
      name: displayName(claims),
      signIn: signInKey === null ? null : signInOf(signInKey, new Date(now()), origin),
      origin,
    });
    if (signInKey !== null) {
      markRecorded(person.id, signInKey);
      deps.recordProviderResult('b2c', null);
    }
    return person;
  }
}

/**
 * Returns the key of the token's sign-in: `auth_time` (OpenID Connect Core, section 2), which is the same in renewed
 * tokens. Without `auth_time`, returns null if the person was seen recently, and a new key otherwise.
 */
function signInKeyOf(claims: AccessTokenClaims, person: PersonRow | null, at: number): string | null {
  const signedInAt = claims['auth_time'];
  if (typeof signedInAt === 'number') return String(signedInAt);
  const lastSeenAt = person?.last_sign_in_at && person.last_seen_at;
  return !lastSeenAt || lastSeenAt.getTime() + newVisitAfterMs <= at ? `seen ${at}` : null;
}

/**
 * Returns the time of the sign-in in milliseconds. Without `auth_time`, it is the time of issue minus the clock tolerance of
 * `tokens_valid_after`: a sign-out must also end a token that was issued just before it.
 */
function signedInAtOf(claims: AccessTokenClaims): number {
  const { auth_time: signedInAt, iat = 0 } = claims;
  return (typeof signedInAt === 'number' ? signedInAt : iat - clockToleranceSeconds) * 1000;
}

const identityOf = ({ iss, sub }: AccessTokenClaims): Identity => ({ issuer: iss, subject: sub });

/**
 * Returns whether the provider vouches for the address; null if the provider does not report it. B2C omits
 * `email_verified` (OpenID Connect Core, section 5.1), but verifies the addresses in `emails` and in sign-ups by hint.
 */
function addressVerification(claims: AccessTokenClaims): boolean | null {
  if (!('email_verified' in claims)) return null;
  return claims['email_verified'] === true || claims['email_verified'] === 'true';
}

function addressOf(claims: AccessTokenClaims): string | null {
  const emails = claims['emails'];
  const address: unknown = Array.isArray(emails) ? emails[0] : claims['email'];
  return typeof address === 'string' ? normalizeText(address) : null;
}

function uuidOrNull(value: unknown): string | null {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return isUuid(text) ? text : null;
}

export function accessTokenCallerKind(
  deps: Deps & {
    provider: Provider;
    recentTokens: { recordAccepted(claims: AccessTokenClaims): void; recordRefused(error: unknown): void };
  },
): CallerKind {
  const { registration, provider, recentTokens } = deps;
  const verify = createAccessTokenVerifier(
    {
      keys: provider.keys,
      rules: async () => ({
        issuer: await provider.issuer(),
        audience: registration.audience,
        // Tokens of the password-reset policy are not valid here.
        policies: [registration.signInPolicy, registration.signUpPolicy],
        scope: registration.apiScopes[0]?.split('/').at(-1) ?? '',
      }),
    },
    deps.now,
  );
  const admit = createAdmission(deps);

  return {
    name: 'access token',
    secretOf: ({ raw, headers }) => bearerToken(raw.rawHeaders, headers.authorization),
    async authenticate(token, _request, origin) {
      try {
        const claims = await verify(token);
        recentTokens.recordAccepted(claims);
        return await admit(claims, origin);
      } catch (error) {
        recentTokens.recordRefused(error);
        throw error;
      }
    },
  };
}
