/** Completes authorization requests other than a plain sign-in: confirmation, a further identity, identity migration. */
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { personErrors } from '@vestibule/contract/people';
import { migrationProblems } from '@vestibule/contract/identity-migrations/link';
import { signInProblems, type SignInPurpose } from '@vestibule/contract/sign-in';
import type { OidcProviderConfig } from '../../../platform/config/oidc-providers.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { clockToleranceSeconds } from '../../../platform/identity/access-token.ts';
import {
  findPeopleByIdentity,
  findPerson,
  type Identity,
  type PersonRow,
} from '../../people/people-store.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import type { Identities } from '../identities/identities.ts';
import {
  sessionCookie,
  type AuthenticationTime,
  type ProviderTokens,
  type Sessions,
} from '../sessions/sessions.ts';
import {
  addressOf,
  addressWithinTimeout,
  canonicalOf,
  canVerifyByCode,
  nameOf,
  type ClaimedAddress,
} from './address-claims.ts';
import type { AuthorizationTimes, ProviderSignIn } from './oidc-client.ts';
import type { AuthorizationRequest, PendingVerification } from './request-store.ts';

export type SignInResult = { kind: 'signed-in' } | { kind: 'verification'; pending: PendingVerification };

/** Authentication of a user by a provider, for which a session is started. */
type Login = {
  /** Id of the sign-in method. */
  method: string;
  identity: Identity;
  tokens: ProviderTokens & AuthorizationTimes & AuthenticationTime;
  context: BrowserContext;
};

/** Creates a session and sets its cookie. */
export type StartSession = (person: PersonRow, login: Login, id?: string) => Promise<void>;

/** Provisions a new user and creates a session. `reported` is the address that the provider reports, which may differ from the verified one. */
export type SignInNewUser = (
  login: Login,
  invited: { address: string | null; claimed: string | null; name: string | null },
  reported: ClaimedAddress,
) => Promise<void>;

export type Authorization = {
  provider: OidcProviderConfig;
  request: AuthorizationRequest;
  providerSignIn: ProviderSignIn;
  identity: Identity;
  context: BrowserContext;
};

export const loginOf = ({
  provider,
  providerSignIn,
  identity,
  context,
}: Omit<Authorization, 'request'>): Login => ({
  method: provider.id,
  identity,
  tokens: providerSignIn,
  context,
});

type AddedIdentity = Pick<Authorization, 'request' | 'identity' | 'context'> & {
  provider: { id: string; name: string };
};

export function createPurposeHandlers(
  deps: DatabaseDeps & { sessions: Sessions; identities: Identities; startSession: StartSession },
) {
  const { database, startSession, now } = deps;
  const signedIn = { kind: 'signed-in' } as const;

  const handlers: Record<
    Exclude<SignInPurpose, 'sign-in' | 'test'>,
    (authorization: Authorization) => Promise<SignInResult>
  > = {
    async confirm(authorization) {
      const { provider, request, providerSignIn, identity } = authorization;
      requireReauthentication(authorization, now());
      const [owner] = await findPeopleByIdentity(database, [identity]);
      const person = await requirePerson(request);
      if (owner?.id !== person.id)
        throw fail(signInProblems.somebodyElse, {
          values: { email: person.email, provider: provider.name },
        });
      // Some providers omit `auth_time` although `max_age` requires it (OpenID Connect Core, 3.1.2.1).
      if (providerSignIn.authTime === null)
        return {
          kind: 'verification',
          pending: await pendingVerificationOf(providerSignIn, { email: null, isVerified: false }),
        };
      await startSession(owner, loginOf(authorization));
      return signedIn;
    },

    async add(authorization) {
      requireReauthentication(authorization, now());
      await addIdentity(authorization, await addressWithinTimeout(authorization.providerSignIn));
      return signedIn;
    },

    async move(authorization) {
      const { provider, request, providerSignIn, identity, context } = authorization;
      const [owner] = await findPeopleByIdentity(database, [identity]);
      const person = await requirePerson(request);
      if (person.status === 'disabled') throw fail(personErrors.disabled);
      let address: ClaimedAddress | null = null;
      if (!owner) {
        address = await addressOf(providerSignIn);
        if (!(await belongsTo(person, address, context))) {
          if (canVerifyByCode(provider, address))
            return { kind: 'verification', pending: await pendingVerificationOf(providerSignIn, address) };
          throw addressFailure(person, address, provider.name);
        }
      }
      const migrated = await addIdentity(authorization, address);
      await startSession(migrated, loginOf(authorization));
      return signedIn;
    },
  };

  return {
    ...handlers,

    /** Completes a confirmation whose e-mailed code was entered. */
    confirmVerified: async (
      method: string,
      request: AuthorizationRequest,
      { issuer, subject, ...tokens }: PendingVerification,
      context: BrowserContext,
    ): Promise<void> =>
      startSession(await requirePerson(request), { method, identity: { issuer, subject }, tokens, context }),

    /** Completes an identity migration whose e-mailed code was entered. */
    migrateVerified: async (
      provider: { id: string; name: string },
      request: AuthorizationRequest,
      { issuer, subject, email, ...tokens }: PendingVerification,
      context: BrowserContext,
    ): Promise<void> => {
      const identity = { issuer, subject };
      const address = { email, isVerified: false };
      const person = await addIdentity({ provider, request, identity, context }, address);
      await startSession(person, { method: provider.id, identity, tokens, context });
    },
  };

  async function requirePerson({ person_id: id }: AuthorizationRequest): Promise<PersonRow> {
    const person = id === null ? null : await findPerson(database, id);
    if (!person) throw fail(signInProblems.expired);
    return person;
  }

  function addIdentity(
    { provider, request, identity, context }: AddedIdentity,
    address: ClaimedAddress | null,
  ): Promise<PersonRow> {
    const { person_id: personId, move_id: migrationId, created_at: requestedAt } = request;
    if (personId === null) throw fail(signInProblems.expired);
    const { email = null, isVerified = false } = address ?? {};
    const account = { ...identity, way: provider.id, wayName: provider.name, email, isVerified };
    return deps.identities.add({ personId, migrationId, requestedAt }, account, context.origin);
  }

  /** Returns whether the provider verified the person's address, or this browser is signed in as the person. */
  async function belongsTo(
    person: PersonRow,
    address: ClaimedAddress,
    { cookies }: BrowserContext,
  ): Promise<boolean> {
    if (address.isVerified && canonicalOf(address) === canonicalEmail(person.email)) return true;
    const signedInPerson = await deps.sessions.find(cookies.get(sessionCookie));
    return signedInPerson?.id === person.id;
  }
}

const addressFailure = (person: PersonRow, address: ClaimedAddress, provider: string) =>
  address.email === null || canonicalOf(address) === canonicalEmail(person.email)
    ? fail(migrationProblems.addressUnproven, { values: { provider } })
    : fail(migrationProblems.anotherAddress, { values: { expected: person.email, used: address.email } });

/**
 * Throws if the provider last authenticated the user before the request. `auth_time` and `iat` are by the provider's clock, the age of
 * the request is by ours, so only durations are compared.
 */
function requireReauthentication({ provider, providerSignIn, request }: Authorization, now: number): void {
  const {
    authTime,
    claims: { iat },
  } = providerSignIn;
  if (authTime === null || typeof iat !== 'number') return;
  const requestAgeSeconds = (now - request.created_at.getTime()) / 1000;
  if (iat - authTime > requestAgeSeconds + clockToleranceSeconds)
    throw fail(signInProblems.notAskedAgain, { values: { provider: provider.name } });
}

export async function pendingVerificationOf(
  providerSignIn: ProviderSignIn,
  { email }: ClaimedAddress,
): Promise<PendingVerification> {
  const { issuer, claims, idToken, refreshToken, sid, askedAt, authTime } = providerSignIn;
  return {
    issuer,
    subject: claims.sub,
    email,
    name: await nameOf(providerSignIn),
    idToken,
    refreshToken,
    sid,
    askedAt,
    authTime,
  };
}
