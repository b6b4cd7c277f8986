/** Turns a provider's response into a session, an e-mail verification or a failure. */
import { isConnectionMethod } from '../../../platform/config/sign-in-methods.ts';
import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import * as openid from 'openid-client';
import { personAudit } from '../../../platform/audit/audit-log.ts';
import { rowOf, type Database, type Queryable } from '../../../platform/database/database.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { type InvitationRow, findOpenInvitation } from '../../invitations/invitation-store.ts';
import { recordRefusal } from '../../invitations/lifecycle/invitation-events.ts';
import { findPeopleByIdentity, type Identity } from '../../people/people-store.ts';
import type { ProvisionUser } from '../provision-user.ts';
import { sessionCookie, signInOf, type Sessions, sessionKey } from '../sessions/sessions.ts';
import type { Identities } from '../identities/identities.ts';
import type { ConnectionClient } from '../connections/connection-clients.ts';
import { createConnectionSignIn } from '../connections/connection-sign-in.ts';
import { isActiveMethod } from '../connections/connection-store.ts';
import { isEndedSince } from './backchannel-logout.ts';
import {
  addressOf,
  addressWithinTimeout,
  canonicalOf,
  canVerifyByCode,
  claimedAddress,
  nameOf,
  type ClaimedAddress,
} from './address-claims.ts';
import type { OidcClient, ProviderSignIn } from './oidc-client.ts';
import { loggedFailure } from './oidc-failure.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import {
  createPurposeHandlers,
  loginOf,
  pendingVerificationOf,
  type Authorization,
  type SignInResult,
  type StartSession,
  type SignInNewUser,
} from './complete-sign-in.ts';
import type { AuthorizationRequest, PendingVerification } from './request-store.ts';

type Logger = { warn(details: object, message: string): void };

export function createOidcSignIn(deps: {
  database: Database;
  sessions: Sessions;
  provisionUser: ProvisionUser;
  identities: Identities;
  logger: Logger;
  now: () => number;
  newId: () => string;
}) {
  const { database, now } = deps;
  const startSession = createStartSession(deps);
  const findPerson = createBatchLoader(
    (identities: Identity[]) => findPeopleByIdentity(database, identities),
    1,
  );
  const purposes = createPurposeHandlers({ ...deps, startSession });
  const signInNewUser: SignInNewUser = async (login, invited, reported) => {
    const { origin } = login.context;
    const sessionId = deps.newId();
    const person = await deps.provisionUser({
      ...login.identity,
      ...invited,
      way: login.method,
      isVerified: true,
      signIn: signInOf(sessionKey(sessionId), new Date(now()), origin),
      origin,
    });
    await startSession(person, login, sessionId);
    await recordEmail(deps, person, login.identity, reported, origin);
  };
  const finishConnection = createConnectionSignIn({
    ...deps,
    startSession,
    signInNewUser,
    confirm: purposes.confirm,
  });

  return { ...purposes, finish, provisionVerified };

  /** Throws a Failure with the reason if the sign-in is refused. */
  async function finish(
    client: OidcClient | ConnectionClient,
    request: AuthorizationRequest,
    providerSignIn: ProviderSignIn,
    context: BrowserContext,
  ): Promise<SignInResult> {
    const identity = identityOf(providerSignIn);
    const authorization = { provider: client.provider, request, providerSignIn, identity, context };
    const { purpose } = request;
    if ('connection' in client) return finishConnection({ ...authorization, client });
    if (purpose === 'test') throw fail(signInProblems.expired);
    if (purpose !== 'sign-in') return purposes[purpose](authorization);
    const person = await findPerson(identity);
    if (!person) return finishNewUser(authorization);
    await requireInvitedMember(deps, person, request, context.origin);
    await startSession(person, loginOf(authorization));
    const address = await addressWithinTimeout(providerSignIn);
    // The address seldom changes: comparing it first saves a statement.
    if (
      address &&
      (address.email !== person.provider_email || address.isVerified !== person.provider_email_verified)
    )
      await recordEmail(deps, person, identity, address, context.origin);
    return { kind: 'signed-in' };
  }

  async function finishNewUser(authorization: Authorization): Promise<SignInResult> {
    const { provider, request, providerSignIn, context } = authorization;
    const invitation = await findOpenInvitation(database, request.invitation_id, now());
    const address = await addressOf(providerSignIn).catch((error: unknown) => {
      if (!invitation || provider.email === 'verified') throw error;
      // A mailed code verifies the invited address, for example where a firewall blocks userinfo of Entra ID.
      deps.logger.warn(
        { way: provider.id, ...loggedFailure(error) },
        'userinfo of a provider cannot be read',
      );
      return claimedAddress(providerSignIn.claims);
    });
    const isInvited =
      invitation !== null && address.isVerified && canonicalOf(address) === invitation.email_canonical;
    if (invitation && !isInvited) {
      if (canVerifyByCode(provider, address))
        return { kind: 'verification', pending: await pendingVerificationOf(providerSignIn, address) };
      const reason = address.isVerified ? 'another e-mail' : 'unverified e-mail';
      await recordRefusal(database, invitation.id, reason, context.origin);
      throw invitationFailure(invitation, address, provider.name);
    }
    // provisionUser also redeems an invitation that is found by the verified address.
    if (!address.isVerified) throw addressUnproven(provider.name);
    const name = await nameOf(providerSignIn);
    const invited = { address: address.email, claimed: request.invitation_id, name };
    await signInNewUser(loginOf(authorization), invited, address);
    return { kind: 'signed-in' };
  }

  /** Provisions and signs in a user who verified the invited address with a code. */
  async function provisionVerified(
    method: string,
    { email, issuer, subject, name, ...tokens }: PendingVerification,
    invitation: InvitationRow,
    context: BrowserContext,
  ): Promise<void> {
    const invited = { address: invitation.email, claimed: invitation.id, name };
    const login = { method, identity: { issuer, subject }, tokens, context };
    await signInNewUser(login, invited, { email, isVerified: false });
  }
}

const createStartSession = (deps: {
  database: Database;
  sessions: Sessions;
  newId: () => string;
}): StartSession =>
  async function startSession(person, { method, identity, tokens, context }, id = deps.newId()) {
    const { idToken, refreshToken, sid, authenticatedAt, ...times } = tokens;
    if (person.status === 'disabled') throw fail(personErrors.disabled);
    const stored = { idToken, refreshToken, sid, authenticatedAt };
    await deps.sessions.create(person, { ...identity, id, way: method, ...stored, ...context });
    // Checked after the insert: a logout token, or a change of the connection, that is earlier cannot find the session.
    const isEnded =
      (await isEndedSince(deps.database, { ...identity, sid, ...times })) ||
      (isConnectionMethod(method) && !(await isActiveMethod(deps.database, method)));
    if (!isEnded) return;
    await deps.sessions.end({ personId: person.id, id }, 'by the provider', null, context.origin);
    context.cookies.clear(sessionCookie);
    throw fail(signInProblems.expired);
  };

function identityOf({ issuer, claims: { sub } }: ProviderSignIn): Identity {
  // PostgreSQL texts cannot contain NUL; subjects have at most 255 characters (OpenID Connect Core, section 2).
  // An empty subject, as of a provider with a wrong claim mapping, would be the same person for everyone.
  if (sub === '' || sub.length > 255 || sub.includes('\0'))
    throw new openid.ClientError('subject is empty, is too long, or contains NUL');
  return { issuer, subject: sub };
}

/** Throws if an organization has invited another address: the person would sign in without joining, and without the reason. */
async function requireInvitedMember(
  { database, now }: { database: Database; now: () => number },
  person: { email: string },
  request: AuthorizationRequest,
  origin: Origin,
): Promise<void> {
  const invitation = await findOpenInvitation(database, request.invitation_id, now());
  if (!invitation?.organization_id || invitation.email_canonical === canonicalEmail(person.email)) return;
  await recordRefusal(database, invitation.id, 'another e-mail', origin);
  throw wrongAccount(invitation, person.email);
}

const invitationFailure = (invitation: InvitationRow, address: ClaimedAddress, provider: string) =>
  address.email === null || canonicalOf(address) === invitation.email_canonical
    ? addressUnproven(provider)
    : wrongAccount(invitation, address.email);

const wrongAccount = ({ email: invited }: InvitationRow, used: string) =>
  fail(signInProblems.wrongAccount, { values: { invited, used } });

const addressUnproven = (provider: string) => fail(signInProblems.addressUnproven, { values: { provider } });

/**
 * Stores the address that a provider reports for an identity, and writes an entry to the audit log if it changed. Information only: no
 * later sign-in depends on it. Failure does not affect the sign-in; the address is recorded at the next one.
 */
async function recordEmail(
  { database, logger }: { database: Database; logger: Logger },
  person: { id: string; email: string },
  { issuer, subject }: Identity,
  { email, isVerified }: ClaimedAddress,
  origin: Origin,
): Promise<void> {
  if (email === null) return;
  const store = async (transaction: Queryable) => {
    const found = await rowOf<{ before: string | null }>(transaction)`
      with earlier as (select email from identities where issuer = ${issuer} and subject = ${subject} for update)
      update identities set email = ${email}, email_verified = ${isVerified} from earlier
      where issuer = ${issuer} and subject = ${subject}
        and (identities.email, email_verified) is distinct from (${email}::text, ${isVerified}::boolean)
      returning earlier.email as before`;
    const before = found?.before;
    if (before == null || canonicalEmail(before) === canonicalEmail(email)) return;
    const detail = { before, after: email };
    const actor = { caller: null, origin };
    await personAudit.record(transaction, person, 'person.provider_address_changed', actor, detail);
  };
  await database
    .transaction(store)
    .catch((error: unknown) =>
      logger.warn({ err: error }, 'the e-mail address reported by a provider could not be stored'),
    );
}
