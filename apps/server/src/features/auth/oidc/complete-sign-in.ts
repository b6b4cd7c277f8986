/** What becomes of a sign-in that is not for coming in: it confirms who somebody is, gives them another way in, or moves them there. */
import { personErrors } from '@vestibule/contract/people';
import { migrationProblems } from '@vestibule/contract/identity-migrations/link';
import { signInProblems, type SignInPurpose } from '@vestibule/contract/sign-in';
import type { OidcProviderConfig } from '../../../platform/config/oidc-providers.ts';
import type { Database } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { clockToleranceSeconds } from '../../../platform/identity/access-token.ts';
import {
  findPeopleByIdentity,
  findPerson,
  type Identity,
  type PersonRow,
} from '../../people/people-store.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import type { Identities } from '../identities/identities.ts';
import { displayName } from '../provision-user.ts';
import {
  sessionCookie,
  type AuthenticationTime,
  type ProviderTokens,
  type Sessions,
} from '../sessions/sessions.ts';
import {
  addressInTime,
  addressOf,
  canAskForCode,
  canonicalOf,
  type ClaimedAddress,
} from './provider/address-claims.ts';
import type { AuthorizationPurpose } from './ended-provider-sessions.ts';
import type { SignInAnswer } from './provider/oidc-client.ts';
import type { Transaction, Waiting } from './authorization-requests/request-row.ts';

/** What a sign-in ends with; the session's cookie is set where it is `inside`. */
export type Ended = { kind: 'inside' } | { kind: 'proof'; waiting: Waiting };

export type By = { cookies: Cookies; origin: Origin; sessionValue?: string | undefined };

/** Signs somebody in with this browser. */
export type BeginSession = (
  person: PersonRow,
  way: string,
  identity: Identity,
  tokens: ProviderTokens & AuthorizationPurpose & AuthenticationTime,
  by: By,
  id?: string,
) => Promise<void>;

/** Somebody who is back from a provider. */
type Answered = {
  provider: OidcProviderConfig;
  transaction: Transaction;
  answer: SignInAnswer;
  identity: Identity;
  by: By;
};

export function createPurposes(deps: {
  database: Database;
  sessions: Sessions;
  identities: Identities;
  begin: BeginSession;
  now: () => number;
}) {
  const { database, now } = deps;

  const purposes: Record<Exclude<SignInPurpose, 'sign-in'>, (answered: Answered) => Promise<Ended>> = {
    async confirm(answered) {
      const { provider, transaction, answer, identity, by } = answered;
      requireAskedAgain(answered, now());
      const [known] = await findPeopleByIdentity(database, [identity]);
      const person = await requirePerson(transaction);
      if (known?.id !== person.id)
        throw fail(signInProblems.somebodyElse, {
          values: { email: person.email, provider: provider.name },
        });
      // Some providers do not say it, though they have to (OpenID Connect Core, 3.1.2.1): nobody knows whether anybody was asked.
      if (answer.authTime === null)
        return { kind: 'proof', waiting: waitingOf(answer, { email: null, isVerified: false }) };
      await deps.begin(known, provider.id, identity, answer, by);
      return { kind: 'inside' };
    },

    async add(answered) {
      requireAskedAgain(answered, now());
      await addIdentity(answered, await addressInTime(answered.answer));
      return { kind: 'inside' };
    },

    async move(answered) {
      const { provider, transaction, answer, identity, by } = answered;
      const [known] = await findPeopleByIdentity(database, [identity]);
      const person = await requirePerson(transaction);
      if (person.status === 'disabled') throw fail(personErrors.disabled);
      let address: ClaimedAddress | null = null;
      if (!known) {
        address = await addressOf(answer);
        if (!(await isTheirs(person, address, answered))) {
          if (canAskForCode(provider, address)) return { kind: 'proof', waiting: waitingOf(answer, address) };
          throw foreign(person, address, provider.name);
        }
      }
      const moved = await addIdentity(answered, address);
      await deps.begin(moved, provider.id, identity, answer, by);
      return { kind: 'inside' };
    },
  };

  return {
    finish: (purpose: keyof typeof purposes, answered: Answered) => purposes[purpose](answered),

    /** Confirms who somebody is who has entered a code. */
    confirmProven: async (
      way: string,
      transaction: Transaction,
      { issuer, subject, ...tokens }: Waiting,
      by: By,
    ): Promise<void> => deps.begin(await requirePerson(transaction), way, { issuer, subject }, tokens, by),

    /** Moves somebody who has proven their address by a code. */
    moveProven: async (
      provider: { id: string; name: string },
      transaction: Transaction,
      { issuer, subject, email, ...tokens }: Waiting,
      by: By,
    ): Promise<void> => {
      const identity = { issuer, subject };
      const address = { email, isVerified: false };
      const person = await addIdentity({ provider, transaction, identity, by }, address);
      await deps.begin(person, provider.id, identity, tokens, by);
    },
  };

  async function requirePerson({ person_id: id }: Transaction): Promise<PersonRow> {
    const person = id === null ? null : await findPerson(database, id);
    if (!person) throw fail(signInProblems.expired);
    return person;
  }

  function addIdentity(
    {
      provider,
      transaction,
      identity,
      by,
    }: Pick<Answered, 'transaction' | 'identity' | 'by'> & { provider: { id: string; name: string } },
    address: ClaimedAddress | null,
  ): Promise<PersonRow> {
    const { person_id: personId, move_id: moveId, created_at: askedAt } = transaction;
    if (personId === null) throw fail(signInProblems.expired);
    return deps.identities.add(
      { personId, moveId, askedAt },
      {
        ...identity,
        way: provider.id,
        wayName: provider.name,
        email: address?.email ?? null,
        isVerified: address?.isVerified === true,
      },
      by.origin,
    );
  }

  /** The provider vouches for the person's address; or this very browser is signed in as that person, whatever the account is called. */
  async function isTheirs(person: PersonRow, address: ClaimedAddress, { by }: Answered): Promise<boolean> {
    if (address.isVerified && canonicalOf(address) === canonicalEmail(person.email)) return true;
    const here = await deps.sessions.find(by.cookies.get(sessionCookie));
    return here?.id === person.id;
  }
}

function foreign(person: PersonRow, address: ClaimedAddress, provider: string) {
  return address.email === null || canonicalOf(address) === canonicalEmail(person.email)
    ? fail(migrationProblems.addressUnproven, { values: { provider } })
    : fail(migrationProblems.anotherAddress, { values: { expected: person.email, used: address.email } });
}

/**
 * Refuses an answer about a sign-in that is older than the question. Both moments of the answer are by the provider's clock, how long
 * ago it was asked is by ours.
 */
function requireAskedAgain({ provider, answer, transaction }: Answered, now: number): void {
  const {
    authTime: at,
    claims: { iat },
  } = answer;
  if (at === null || typeof iat !== 'number') return;
  const askedSecondsAgo = (now - transaction.created_at.getTime()) / 1000;
  if (iat - at > askedSecondsAgo + clockToleranceSeconds)
    throw fail(signInProblems.notAskedAgain, { values: { provider: provider.name } });
}

/** Who waits for the code that proves an address. */
export function waitingOf(answer: SignInAnswer, { email }: ClaimedAddress): Waiting {
  const { issuer, claims, idToken, refreshToken, sid, askedAt, authTime } = answer;
  return {
    issuer,
    subject: claims.sub,
    email,
    name: displayName(claims['name']),
    idToken,
    refreshToken,
    sid,
    askedAt,
    authTime,
  };
}
