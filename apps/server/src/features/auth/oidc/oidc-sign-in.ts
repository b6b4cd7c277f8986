/**
 * From an answer of a provider to a session: who is it, and do they come in? What else can become of it is a problem that is told, or a
 * code that is mailed to the invited address. The steps before stand in start.ts and callback.ts.
 */
import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import * as openid from 'openid-client';
import type { Database } from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { findInvitation, isOpen, type InvitationRow } from '../../invitations/invitation-store.ts';
import { recordRefusal } from '../../invitations/lifecycle/invitation-events.ts';
import { findPeopleByIdentity, type Identity } from '../../people/people-store.ts';
import { displayName, type ProvisionUser } from '../provision-user.ts';
import { deleteSessions } from '../sessions/session-store.ts';
import { sessionCookie, signInOf, type Sessions } from '../sessions/sessions.ts';
import type { Identities } from '../identities/identities.ts';
import { createNoteAddress } from '../identities/record-email.ts';
import { isEndedSince } from './ended-provider-sessions.ts';
import { addressInTime, addressOf, canAskForCode, canonicalOf } from './provider/address-claims.ts';
import type { OidcClient, SignInAnswer } from './provider/oidc-client.ts';
import { createPurposes, waitingOf, type BeginSession, type By, type Ended } from './complete-sign-in.ts';
import type { Transaction, Waiting } from './authorization-requests/request-row.ts';

export function createOidcSignIn(deps: {
  database: Database;
  sessions: Sessions;
  provisionUser: ProvisionUser;
  identities: Identities;
  logger: { warn(details: object, message: string): void };
  now: () => number;
  newId: () => string;
}) {
  const { database, now } = deps;

  const begin = beginnerOf(deps);
  const findPerson = createBatchLoader(
    (identities: Identity[]) => findPeopleByIdentity(database, identities),
    1,
  );
  const purposes = createPurposes({ ...deps, begin });
  const { confirmProven, moveProven } = purposes;
  const noteAddress = createNoteAddress(deps);

  return { finish, admitProven, confirmProven, moveProven };

  /** Throws the Failure that says why nobody comes in. */
  async function finish(
    { provider }: OidcClient,
    transaction: Transaction,
    answer: SignInAnswer,
    by: By,
  ): Promise<Ended> {
    const identity = identityOf(answer);
    const { purpose } = transaction;
    if (purpose !== 'sign-in')
      return purposes.finish(purpose, { provider, transaction, answer, identity, by });
    const known = await findPerson(identity);
    if (known) {
      await begin(known, provider.id, identity, answer, by);
      const told = await addressInTime(answer);
      // Almost every sign-in brings the address of the one before.
      if (told && (told.email !== known.provider_email || told.isVerified !== known.provider_email_verified))
        await noteAddress(known, identity, told, by.origin);
      return { kind: 'inside' };
    }
    const address = await addressOf(answer);
    const invitation = await openInvitation(transaction.invitation_id);
    const isInvited =
      invitation !== null && address.isVerified && canonicalOf(address) === invitation.email_canonical;
    if (invitation && !isInvited) {
      if (canAskForCode(provider, address)) return { kind: 'proof', waiting: waitingOf(answer, address) };
      await recordRefusal(
        database,
        invitation.id,
        address.isVerified ? 'another e-mail' : 'unverified e-mail',
        by.origin,
      );
      throw address.email === null || canonicalOf(address) === invitation.email_canonical
        ? unproven(provider.name)
        : fail(signInProblems.wrongAccount, { values: { invited: invitation.email, used: address.email } });
    }
    // Without an invitation at hand, one to their own address leads in as well.
    if (!address.isVerified) throw unproven(provider.name);
    const sessionId = deps.newId();
    const person = await deps.provisionUser({
      ...identity,
      way: provider.id,
      address: address.email,
      isVerified: true,
      claimed: transaction.invitation_id,
      name: displayName(answer.claims['name']),
      signIn: firstSignIn(sessionId, by.origin),
      origin: by.origin,
    });
    await begin(person, provider.id, identity, answer, by, sessionId);
    await noteAddress(person, identity, address, by.origin);
    return { kind: 'inside' };
  }

  /** Lets somebody in who has proven the invited address by a code. */
  async function admitProven(
    way: string,
    { email, ...waiting }: Waiting,
    invitation: InvitationRow,
    by: By,
  ): Promise<void> {
    const identity = { issuer: waiting.issuer, subject: waiting.subject };
    const sessionId = deps.newId();
    const person = await deps.provisionUser({
      ...identity,
      way,
      address: invitation.email,
      isVerified: true,
      claimed: invitation.id,
      name: waiting.name,
      signIn: firstSignIn(sessionId, by.origin),
      origin: by.origin,
    });
    await begin(person, way, identity, waiting, by, sessionId);
    await noteAddress(person, identity, { email, isVerified: false }, by.origin);
  }

  async function openInvitation(id: string | null): Promise<InvitationRow | null> {
    const invitation = id === null ? null : await findInvitation(database, id);
    return invitation && isOpen(invitation, now()) ? invitation : null;
  }

  function firstSignIn(sessionId: string, origin: Origin) {
    return signInOf(sessionId, new Date(now()), origin);
  }
}

function beginnerOf(deps: { database: Database; sessions: Sessions; newId: () => string }): BeginSession {
  return async function begin(
    person,
    way,
    identity,
    { idToken, refreshToken, sid, provenAt, ...asked },
    by,
    id = deps.newId(),
  ) {
    if (person.status === 'disabled') throw fail(personErrors.disabled);
    await deps.sessions.create(person, { ...identity, id, way, idToken, refreshToken, sid, provenAt, ...by });
    // Looked at last, since the provider may tell of it at this very moment.
    try {
      if (!(await isEndedSince(deps.database, { ...identity, sid, ...asked }))) return;
    } catch (error) {
      // They are told that they are not signed in, and so they must not be.
      by.cookies.clear(sessionCookie);
      await deleteSessions(deps.database, { personId: person.id, id });
      throw error;
    }
    await deps.sessions.end({ personId: person.id, id }, 'by the provider', null, by.origin);
    by.cookies.clear(sessionCookie);
    throw fail(signInProblems.expired);
  };
}

function identityOf({ issuer, claims: { sub } }: SignInAnswer): Identity {
  // PostgreSQL's text holds no NUL; no provider's subject is longer (OpenID Connect Core, section 2).
  if (sub.length > 255 || sub.includes('\0'))
    throw new openid.ClientError('subject is too long or contains NUL');
  return { issuer, subject: sub };
}

const unproven = (provider: string) => fail(signInProblems.addressUnproven, { values: { provider } });
