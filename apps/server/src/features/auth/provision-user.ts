/** Provisions an unknown identity: redeems an invitation, joins by domain, or fails with the reason. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { personErrors } from '@vestibule/contract/people';
import { cleanText } from '@vestibule/contract/rules/clean-text';
import { aboutPerson, recordChange } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';
import {
  findInvitation,
  findLatestInvitation,
  isOpen,
  reserveAddress,
} from '../invitations/invitation-store.ts';
import {
  recordRefusal,
  lateSignInReasons,
  type RecordEvent,
} from '../invitations/lifecycle/invitation-events.ts';
import {
  findPeopleByIdentity,
  insertFirstSignIns,
  insertPeople,
  defaultPerson,
  type Identity,
  type PersonRow,
} from '../people/people-store.ts';
import type { CanAutoJoin } from './domain-auto-join.ts';
import { createRedeem, type Redemption } from './redeem.ts';

type NewUser = Omit<Redemption, 'emailCanonical'> & {
  /** Null if the provider does not vouch for any address. */
  address: string | null;
};

export type ProvisionUser = (user: NewUser) => Promise<PersonRow>;

export function createProvisionUser(deps: {
  database: Database;
  recordEvent: RecordEvent;
  canAutoJoin: CanAutoJoin;
  now: () => number;
  newId: () => string;
}): ProvisionUser {
  const { database, now } = deps;
  const redeem = createRedeem(deps);

  return async (user) => {
    const canonical = user.address === null ? null : canonicalEmail(user.address);
    if (canonical === null) {
      if (user.claimed) await recordRefusal(database, user.claimed, 'unverified e-mail', user.origin);
      throw fail(personErrors.emailUnverified);
    }
    const person = await redeem({ ...user, emailCanonical: canonical });
    // A concurrent request of the same person may have redeemed the invitation.
    return (
      person ??
      (await findExisting(user)) ??
      (await admitByDomain(user, canonical)) ??
      refuse(user, canonical)
    );
  };

  async function findExisting(identity: Identity): Promise<PersonRow | null> {
    const [person] = await findPeopleByIdentity(database, [identity]);
    return person ?? null;
  }

  async function admitByDomain(user: NewUser, canonical: string): Promise<PersonRow | null> {
    if (!user.isVerified || !(await deps.canAutoJoin(user.way, canonical, user))) return null;
    const at = new Date(now());
    const id = deps.newId();
    try {
      const joined = await database.transaction(async (transaction) => {
        if (!(await reserveAddress(transaction, canonical, { id: deps.newId(), at }))) return 'invited';
        const people = await insertPeople(transaction, [
          {
            ...defaultPerson,
            id,
            issuer: user.issuer,
            subject: user.subject,
            way: user.way,
            email: user.address as string,
            emailCanonical: canonical,
            displayName: user.name || (user.address as string),
            joinedAt: at,
            lastSignInAt: user.signIn && at,
            lastSeenAt: at,
          },
        ]);
        const caller = { id, email: user.address as string };
        const detail = { domain: domainOf(canonical), way: user.way };
        await recordChange(
          transaction,
          aboutPerson(caller, 'person.admitted', { caller, origin: user.origin }, detail),
        );
        await insertFirstSignIns(transaction, [{ signIn: user.signIn, personId: id }]);
        await user.alongside?.(transaction, id);
        return people.get(id) ?? null;
      });
      return joined === 'invited' ? await redeem({ ...user, emailCanonical: canonical }) : joined;
    } catch (error) {
      // A concurrent request created the person, or another person has the address.
      if (/^(?:people|identities)_/.test((error as { constraint?: string }).constraint ?? ''))
        return findExisting(user);
      throw error;
    }
  }

  /** Throws the reason for the refusal. It may be precise because the caller owns the address. */
  async function refuse({ claimed, isVerified, origin }: NewUser, canonical: string): Promise<never> {
    const claimedInvitation = claimed ? await findInvitation(database, claimed) : null;
    if (
      claimedInvitation &&
      claimedInvitation.status === 'pending' &&
      claimedInvitation.email_canonical !== canonical
    ) {
      await recordRefusal(database, claimedInvitation.id, 'another e-mail', origin);
      throw fail(personErrors.invitedAsAnother);
    }
    const latest = await findLatestInvitation(database, canonical);
    if (latest?.role === 'admin' && isOpen(latest, now()) && latest.id !== claimed && !isVerified) {
      await recordRefusal(database, latest.id, 'unproven administrator', origin);
      throw fail(personErrors.administratorUnproven);
    }
    if (!latest || latest.status === 'redeemed') throw fail(personErrors.notInvited);
    const isRevoked = latest.status === 'revoked';
    await deps.recordEvent({
      invitationId: latest.id,
      kind: 'refused',
      about: isRevoked ? lateSignInReasons.revoked : lateSignInReasons.expired,
      at: new Date(now()),
    });
    throw fail(isRevoked ? personErrors.invitationRevoked : personErrors.invitationExpired);
  }
}

/** Returns the name from a provider on one line, without control and invisible characters; null if it is not a string. */
export function displayName(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  return cutText(
    cleanText(name)
      .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
      .trim(),
    100,
  );
}
