/** Provisions an unknown identity: redeems an invitation, joins by domain, or fails with the reason. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { invitationErrors } from '@vestibule/contract/invitations';
import { refusals } from '@vestibule/contract/invitations/texts';
import { organizationErrors } from '@vestibule/contract/organizations';
import { organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import { personErrors } from '@vestibule/contract/people';
import { cleanLine } from '@vestibule/contract/rules/clean-text';
import { personAudit, recordChange, invitationAudit, recordEach } from '../../platform/audit/audit-log.ts';
import {
  retryOnDeadlock,
  type CoreDeps,
  type Queryable,
  type DatabaseDeps,
} from '../../platform/database/database.ts';
import { fail, Failure, assertWithinRateLimit } from '../../platform/errors/failure.ts';
import type { Hooks } from '../../platform/extensions/hooks.ts';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';
import {
  findInvitation,
  findLatestInvitation,
  isMember,
  isOpen,
  findInvitationByCodeHash,
  type InvitationRow,
} from '../invitations/invitation-store.ts';
import {
  insertMemberships,
  isOrganizationOpen,
  isRedeemable,
  reserveAddress,
  redeemInvitations,
  replaceInvitationsToSite,
} from '../invitations/redemption-store.ts';
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
  type SignIn,
} from '../people/people-store.ts';
import { joinByDomain } from '../organizations/domain-store.ts';
import { createAskByDomain, type CanAutoJoin } from './domain-auto-join.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import type { Origin } from '../../platform/http/implement.ts';
import { shareInvitationAttachments } from '../attachments/files/invitation-attachments.ts';
import { createRateLimit, type RateLimitOptions } from '../../platform/database/rate-limit.ts';
import { networkOf } from '../../platform/http/ip-network.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { failedExchangeLimit } from '../invitations/link/link-routes.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';

type NewUser = Omit<Redemption, 'emailCanonical'> & {
  /** Null if the provider does not vouch for any address. */
  address: string | null;
};

export type ProvisionUser = (user: NewUser) => Promise<PersonRow>;

export function createProvisionUser(
  deps: CoreDeps & { recordEvent: RecordEvent; canAutoJoin: CanAutoJoin; mail: MailQueue; hooks: Hooks },
): ProvisionUser {
  const { database, now } = deps;
  const redeem = createRedeem(deps);
  const askByDomain = createAskByDomain(deps);
  const { refuse, throwAndRecordNoSeat } = createRefusals(deps);

  return async (user) => {
    const canonical = user.address === null ? null : canonicalEmail(user.address);
    if (canonical === null) {
      if (user.claimed) await recordRefusal(database, user.claimed, 'unverified e-mail', user.origin);
      throw fail(personErrors.emailUnverified);
    }
    const person = await redeem({ ...user, emailCanonical: canonical }).catch((error: unknown) =>
      throwAndRecordNoSeat(error, user, canonical),
    );
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
    const admittedBy = user.isVerified ? await deps.canAutoJoin(user.way, canonical, user) : null;
    if (admittedBy === null) return null;
    const { issuer, subject, way, origin } = user;
    const email = user.address as string;
    if (admittedBy === 'request') return askByDomain({ ...user, email, emailCanonical: canonical });
    const at = new Date(now());
    const id = deps.newId();
    try {
      const joined = await database.transaction(async (transaction) => {
        if (!(await reserveAddress(transaction, canonical, { id: deps.newId(), at }))) return 'invited';
        const people = await insertPeople(transaction, [
          {
            ...defaultPerson,
            id,
            issuer,
            subject,
            way,
            email,
            emailCanonical: canonical,
            displayName: user.name || email,
            joinedAt: at,
            lastSignInAt: user.signIn && at,
            lastSeenAt: at,
          },
        ]);
        const caller = { id, email };
        const domain = domainOf(canonical);
        const organization = await joinByDomain(transaction, { personId: id, emailCanonical: canonical, at });
        // Concurrent requests have taken the last seats.
        if (!organization && admittedBy === 'organization') throw fail(organizationErrors.full);
        await recordChange(transaction, {
          ...personAudit.entry(caller, 'person.admitted', { caller, origin }, { domain, way }),
          ...(organization && { organization: { ...organization, asSiteAdministrator: false } }),
        });
        await insertFirstSignIns(transaction, [{ signIn: user.signIn, personId: id }]);
        await user.inTransaction?.(transaction, id);
        await deps.hooks.call('personJoined', transaction, [{ personId: id, email }]);
        return people.get(id) ?? null;
      });
      return joined === 'invited' ? await redeem({ ...user, emailCanonical: canonical }) : joined;
    } catch (error) {
      const { constraint = '' } = error as { constraint?: string };
      // A concurrent request created the person, or another person has the address.
      if (/^(?:people|identities)_/.test(constraint)) return findExisting(user);
      if (constraint === 'memberships_seat_limit') throw fail(organizationErrors.full);
      throw error;
    }
  }
}

/** Returns functions that throw the reason for a refusal, and record it in the timeline of the invitation. */
function createRefusals({ database, recordEvent, now }: DatabaseDeps & { recordEvent: RecordEvent }) {
  const recordRefused = (invitationId: string, reason: string) =>
    recordEvent({ invitationId, kind: 'refused', about: reason, at: new Date(now()) });

  return { refuse, throwAndRecordNoSeat };

  async function throwAndRecordNoSeat(
    error: unknown,
    { claimed }: NewUser,
    canonical: string,
  ): Promise<never> {
    const isFull = error instanceof Failure && error.text.code === organizationErrors.full.code;
    const refused = isFull ? (claimed ?? (await findLatestInvitation(database, canonical))?.id) : undefined;
    if (refused !== undefined) await recordRefused(refused, refusals.noSeat.message);
    throw error;
  }

  /** Throws the reason if an open invitation to an organization cannot be redeemed. */
  async function refuseOrganization(invitation: InvitationRow): Promise<never> {
    const at = new Date(now());
    if (await isRedeemable(database, invitation.id, at)) {
      const emailCanonical = invitation.email_canonical;
      if (await isMember(database, { emailCanonical, organizationId: null }))
        throw fail(personErrors.hasOtherAccount);
      throw fail(personErrors.organizationRoleUnproven);
    }
    const isClosed = !(await isOrganizationOpen(database, invitation.organization_id, at));
    const reason = isClosed ? refusals.organizationClosed : refusals.inviterLostRole;
    await recordRefused(invitation.id, reason.message);
    throw fail(isClosed ? organizationAccessErrors.suspended : invitationErrors.inviterLostRole);
  }

  /** Throws the reason for the refusal. It may be precise because the caller owns the address. */
  async function refuse({ claimed, isVerified, origin }: NewUser, canonical: string): Promise<never> {
    const claimedInvitation = claimed ? await findInvitation(database, claimed) : null;
    if (claimedInvitation?.status === 'pending' && claimedInvitation.email_canonical !== canonical) {
      await recordRefusal(database, claimedInvitation.id, 'another e-mail', origin);
      throw fail(personErrors.invitedAsAnother);
    }
    const latest = await findLatestInvitation(database, canonical);
    const joined = claimedInvitation ?? latest;
    if (joined?.organization_id && isOpen(joined, now())) await refuseOrganization(joined);
    if (latest?.role === 'admin' && isOpen(latest, now()) && latest.id !== claimed && !isVerified) {
      await recordRefusal(database, latest.id, 'unproven administrator', origin);
      throw fail(personErrors.administratorUnproven);
    }
    if (isVerified && (await isMember(database, { emailCanonical: canonical, organizationId: null })))
      throw fail(personErrors.accountReplaced);
    if (!latest || latest.status === 'redeemed') throw fail(personErrors.notInvited);
    const isRevoked = latest.status === 'revoked';
    await recordRefused(latest.id, isRevoked ? lateSignInReasons.revoked : lateSignInReasons.expired);
    throw fail(isRevoked ? personErrors.invitationRevoked : personErrors.invitationExpired);
  }
}

/**
 * Returns the name from a provider on one line, without control and invisible characters; null if there is none. AD FS sends only the
 * parts of a name, Auth0 the address as the name of accounts without one.
 */
export function displayName(claims: Record<string, unknown>): string | null {
  const [name, ...parts] = ['name', 'given_name', 'family_name'].map((claim) => {
    const value = claims[claim];
    if (typeof value !== 'string') return '';
    return cleanLine(value.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')).trim();
  });
  const chosen = name && canonicalEmail(name) === null ? name : parts.filter(Boolean).join(' ');
  return chosen === '' ? null : cutText(chosen, 100);
}

/** `claimed`: invitation returned by the provider. `isVerified`: the provider asserts the ownership of the address. */
export type Redemption = Identity & {
  way: string;
  emailCanonical: string;
  claimed: string | null;
  isVerified: boolean;
  name: string | null;
  inTransaction?: (transaction: Queryable, personId: string) => Promise<unknown>;
  /** Null for a sign-up, which is not a sign-in. */
  signIn: Omit<SignIn, 'personId'> | null;
  origin: Origin;
};

type Outcome = PersonRow | null | { error: unknown };

/**
 * Returns the new person; null if no invitation is open for the address, or the identity or the address is taken.
 * Concurrent redemptions share a transaction. If one violates a constraint, each is retried alone.
 */
type Redeem = (redemption: Redemption) => Promise<PersonRow | null>;

export function createRedeem(deps: CoreDeps & { hooks: Hooks }): Redeem {
  /** Whether code outside of this file may fail in the transaction of the redemption. */
  const hasOwnWork = ({ inTransaction }: Redemption) =>
    inTransaction !== undefined || deps.hooks.has('personJoined');
  const redeem = createBatchLoader(redeemBatch, 2);
  return async (redemption) => {
    const outcome = await redeem(redemption);
    if (outcome && 'error' in outcome) throw outcome.error;
    return outcome;
  };

  async function redeemBatch(redemptions: Redemption[]): Promise<Outcome[]> {
    try {
      return await redeemAll(redemptions);
    } catch (error) {
      const { constraint = '' } = error as { constraint?: string };
      const isTaken = /^(?:people|identities)_/.test(constraint);
      const [single] = redemptions.length === 1 ? redemptions : [];
      // Accounts are never merged: neither for a known identity nor for the address of another person.
      if (single && isTaken) return [null];
      const isFull = constraint === 'memberships_seat_limit';
      if (single && isFull) return [{ error: fail(organizationErrors.full) }];
      if (single && hasOwnWork(single)) return [{ error }];
      if (single || !(isTaken || isFull || redemptions.some(hasOwnWork))) throw error;
      // Retry one by one, so that a failure affects only the redemption that caused it.
      const outcomes: Outcome[] = [];
      for (const redemption of redemptions) outcomes.push(...(await redeemBatch([redemption])));
      return outcomes;
    }
  }

  function redeemAll(redemptions: Redemption[]): Promise<(PersonRow | null)[]> {
    const at = new Date(deps.now());
    const candidates = redemptions.map((redemption) => ({ ...redemption, personId: deps.newId() }));
    return retryOnDeadlock(deps.database, async (transaction) => {
      const invitations = await redeemInvitations(transaction, candidates, at);
      const redeemed = candidates.flatMap((redemption) => {
        const invitation = invitations.get(redemption.personId);
        return invitation ? [{ ...redemption, invitation }] : [];
      });
      if (redeemed.length === 0) return candidates.map(() => null);
      const [people] = await Promise.all([
        insertPeople(
          transaction,
          redeemed.map(({ personId, issuer, subject, way, emailCanonical, name, invitation, signIn }) => ({
            id: personId,
            issuer,
            subject,
            way,
            email: invitation.email,
            emailCanonical,
            displayName: name || invitation.name || invitation.email,
            role: invitation.role,
            invitedBy: invitation.created_by,
            joinedAt: at,
            lastSignInAt: signIn && at,
            lastSeenAt: at,
          })),
        ),
        recordEach(transaction, redeemed, ({ personId, origin, invitation }) => {
          const actor = { caller: { id: personId, email: invitation.email }, origin };
          return invitationAudit.entry(invitation, 'invitation.redeemed', actor, {
            role: invitation.role,
            ...(invitation.organization_id && { organizationRoleId: invitation.organization_role_id }),
            personId,
          });
        }),
        shareInvitationAttachments(
          transaction,
          redeemed.map(({ personId, invitation }) => ({ personId, invitationId: invitation.id })),
          at,
        ),
        insertFirstSignIns(transaction, redeemed),
        ...joinOrganizations(transaction, redeemed, at),
        ...redeemed.map(({ personId, inTransaction }) => inTransaction?.(transaction, personId)),
      ]);
      await deps.hooks.call(
        'personJoined',
        transaction,
        redeemed.map(({ personId, invitation }) => ({ personId, email: invitation.email })),
      );
      return candidates.map(({ personId }) => people.get(personId) ?? null);
    });
  }
}

/** Returns nothing for invitations to the site only. */
function joinOrganizations(
  transaction: Queryable,
  redeemed: { personId: string; emailCanonical: string; invitation: InvitationRow }[],
  at: Date,
): Promise<unknown>[] {
  const joining = redeemed.filter(({ invitation }) => invitation.organization_id !== null);
  if (joining.length === 0) return [];
  return [
    insertMemberships(transaction, joining, at),
    replaceInvitationsToSite(transaction, valuesOf(joining, 'emailCanonical')),
  ];
}

/** Returns null if no open invitation has the code. Such attempts count against the network; throws when there are too many. */
export function createFindPendingInvitation(deps: DatabaseDeps & { shortCodes: ShortCodes }) {
  const lookUp = createCodeLookup(deps, failedExchangeLimit);
  return (code: string, origin: Origin): Promise<InvitationRow | null> =>
    lookUp(origin, async () => {
      const invitation = await findInvitationByCodeHash(deps.database, deps.shortCodes.hashOf(code));
      return invitation && !invitation.isReplaced && isOpen(invitation, deps.now()) ? invitation : null;
    });
}

/**
 * Returns a function that finds something by a secret code. Codes that find nothing count against the network, before
 * it returns, so that concurrent guesses cannot exceed the limit; it throws when there are too many.
 */
export function createCodeLookup(deps: DatabaseDeps, limit: RateLimitOptions) {
  const failures = createRateLimit(deps, limit);
  return async <T>({ address }: Origin, find: () => Promise<T | null>): Promise<T | null> => {
    const network = networkOf(address);
    const [waitSeconds, found] = await Promise.all([failures.waitSeconds(network), find()]);
    assertWithinRateLimit(waitSeconds || (found === null ? await failures.take(network) : 0));
    return found;
  };
}
