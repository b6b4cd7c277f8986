/**
 * From an answer of a provider to a session: who is it, and do they come in? What else can become of it is a problem that is told, or a
 * code that is mailed to the invited address. The steps before stand in start.ts and callback.ts.
 */
import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { Database } from '../../../platform/database/database.ts';
import { fail, type Failure } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { clockToleranceSeconds } from '../../../platform/identity/access-token.ts';
import { findInvitation, isOpen, type InvitationRow } from '../../invitations/invitation-store.ts';
import { recordRefusal } from '../../invitations/life/invitation-events.ts';
import {
  findPeopleByIdentity,
  findPerson,
  type Identity,
  type PersonRow,
} from '../../people/people-store.ts';
import { displayName, type AdmitNewcomer } from '../newcomer.ts';
import { signInOf, type Sessions } from '../sessions/sessions.ts';
import { noteAddress } from '../identities/note-address.ts';
import { claimedAddress, lacksAddress, type ClaimedAddress } from './address-claims.ts';
import type { OidcClient, SignInAnswer } from './oidc-client.ts';
import type { Transaction, Waiting } from './transaction-row.ts';

/** What a sign-in ends with; the session's cookie is set where it is `inside`. */
export type Ended = { kind: 'inside' } | { kind: 'proof'; waiting: Waiting; invitation: InvitationRow };

type By = { cookies: Cookies; origin: Origin };

export function createOidcSignIn(deps: {
  database: Database;
  sessions: Sessions;
  admitNewcomer: AdmitNewcomer;
  now: () => number;
  newId: () => string;
}) {
  const { database, now } = deps;

  return { finish, admitProven };

  /** Throws the Failure that says why nobody comes in. */
  async function finish(
    { provider }: OidcClient,
    transaction: Transaction,
    answer: SignInAnswer,
    by: By,
  ): Promise<Ended> {
    const identity = identityOf(answer, provider.name);
    const [known] = await findPeopleByIdentity(database, [identity]);
    if (transaction.purpose !== 'sign-in') requireAskedAgain(answer, transaction, provider.name, now());
    if (transaction.purpose === 'confirm' && known?.id !== transaction.person_id)
      throw await notThem(transaction, provider.name);
    if (known) {
      await begin(known, deps.newId(), provider.id, identity, answer, by);
      await noteAddress(database, known, identity, await addressOf(answer).catch(() => null), by.origin);
      return { kind: 'inside' };
    }
    const address = await addressOf(answer);
    const invitation = await openInvitation(transaction.invitation_id);
    const isInvited =
      invitation !== null && address.isVerified && canonicalOf(address) === invitation.email_canonical;
    if (invitation && !isInvited) {
      if (provider.email === 'ask') return { kind: 'proof', invitation, waiting: waitingOf(answer, address) };
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
    const person = await deps.admitNewcomer({
      ...identity,
      way: provider.id,
      address: address.email,
      isVerified: true,
      claimed: transaction.invitation_id,
      name: displayName(answer.claims['name']),
      signIn: firstSignIn(sessionId, by.origin),
      origin: by.origin,
    });
    await begin(person, sessionId, provider.id, identity, answer, by);
    await noteAddress(database, person, identity, address, by.origin);
    return { kind: 'inside' };
  }

  async function notThem({ person_id: id }: Transaction, provider: string): Promise<Failure> {
    const person = id === null ? null : await findPerson(database, id);
    return person
      ? fail(signInProblems.somebodyElse, { values: { email: person.email, provider } })
      : fail(signInProblems.expired);
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
    const person = await deps.admitNewcomer({
      ...identity,
      way,
      address: invitation.email,
      isVerified: true,
      claimed: invitation.id,
      name: waiting.name,
      signIn: firstSignIn(sessionId, by.origin),
      origin: by.origin,
    });
    await begin(person, sessionId, way, identity, waiting, by);
    await noteAddress(database, person, identity, { email, isVerified: false }, by.origin);
  }

  async function begin(
    person: PersonRow,
    id: string,
    way: string,
    identity: Identity,
    { idToken, refreshToken, sid }: Pick<SignInAnswer, 'idToken' | 'refreshToken' | 'sid'>,
    by: By,
  ): Promise<void> {
    if (person.status === 'disabled') throw fail(personErrors.disabled);
    await deps.sessions.begin(person, { ...identity, id, way, idToken, refreshToken, sid, ...by });
  }

  async function openInvitation(id: string | null): Promise<InvitationRow | null> {
    const invitation = id === null ? null : await findInvitation(database, id);
    return invitation && isOpen(invitation, now()) ? invitation : null;
  }

  function firstSignIn(sessionId: string, origin: Origin) {
    return signInOf(sessionId, new Date(now()), origin);
  }
}

function identityOf({ issuer, claims: { sub } }: SignInAnswer, provider: string): Identity {
  // PostgreSQL's text holds no NUL; no provider's subject is longer (OpenID Connect Core, section 2).
  if (sub.length > 255 || sub.includes('\0'))
    throw fail(signInProblems.providerAnswer, { values: { provider } });
  return { issuer, subject: sub };
}

/**
 * Refuses an answer about a sign-in that is older than the question. Both moments of the answer are by the provider's clock, how long
 * ago it was asked is by ours. Some providers do not say when somebody signed in, though they have to (OpenID Connect Core, 3.1.2.1).
 */
function requireAskedAgain(
  { claims: { iat, auth_time: at } }: SignInAnswer,
  { created_at: askedAt }: Transaction,
  provider: string,
  now: number,
): void {
  if (typeof at !== 'number' || typeof iat !== 'number') return;
  const askedSecondsAgo = (now - askedAt.getTime()) / 1000;
  if (iat - at > askedSecondsAgo + clockToleranceSeconds)
    throw fail(signInProblems.notAskedAgain, { values: { provider } });
}

const unproven = (provider: string) => fail(signInProblems.addressUnproven, { values: { provider } });

/** Of the id token where it vouches for one, else of userinfo where that names one. */
async function addressOf(answer: SignInAnswer): Promise<ClaimedAddress> {
  const own = claimedAddress(answer.claims);
  if (!lacksAddress(answer.claims)) return own;
  const more = await answer.userInfo();
  const other = more && claimedAddress(more);
  return other?.email != null ? other : own;
}

const canonicalOf = ({ email }: ClaimedAddress) => (email === null ? null : canonicalEmail(email));

function waitingOf(answer: SignInAnswer, { email }: ClaimedAddress): Waiting {
  const { issuer, claims, idToken, refreshToken, sid } = answer;
  return {
    issuer,
    subject: claims.sub,
    email,
    name: displayName(claims['name']),
    idToken,
    refreshToken,
    sid,
  };
}
