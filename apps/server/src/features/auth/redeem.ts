/**
 * Redeems invitations: the invitation, the person, the audit row and the first sign-in are written together or not at
 * all. Who comes in at the same moment shares a transaction; each is still judged by itself.
 */
import { aboutInvitation, recordEach } from '../../platform/audit/audit-log.ts';
import { retryOnDeadlock, type Basics, type Queryable } from '../../platform/database/database.ts';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import type { Origin } from '../../platform/http/implement.ts';
import { shareInvitationAttachments } from '../attachments/files/invitation-attachments.ts';
import { redeemInvitations } from '../invitations/invitation-store.ts';
import {
  insertFirstSignIns,
  insertPeople,
  type Identity,
  type PersonRow,
  type SignIn,
} from '../people/people-store.ts';

/**
 * Who comes in. `claimed` is the invitation the provider carried through, `isVerified` whether it says in as many words that
 * the address is theirs, `name` what it calls the person.
 */
export type Redemption = Identity & {
  /** The way in, as the configuration calls it. */
  way: string;
  emailCanonical: string;
  claimed: string | null;
  isVerified: boolean;
  name: string | null;
  /** What is written together with them, or not at all. */
  alongside?: (transaction: Queryable, personId: string) => Promise<unknown>;
  /** Null for somebody who has signed up and not signed in yet. */
  signIn: Omit<SignIn, 'personId'> | null;
  origin: Origin;
};

/** What came of one; `error` is of what was to be written alongside, and nobody else's. */
type Outcome = PersonRow | null | { error: unknown };

/** The new person; null when no invitation is open for the address, or the person cannot be made. */
type Redeem = (redemption: Redemption) => Promise<PersonRow | null>;

export function createRedeem(deps: Basics): Redeem {
  const redeem = createBatchLoader(redeemTogether, 2);
  return async (redemption) => {
    const outcome = await redeem(redemption);
    if (outcome && 'error' in outcome) throw outcome.error;
    return outcome;
  };

  async function redeemTogether(asked: Redemption[]): Promise<Outcome[]> {
    try {
      return await redeemAll(asked);
    } catch (error) {
      const { constraint = '' } = error as { constraint?: string };
      const isTaken = /^(?:people|identities)_/.test(constraint);
      const [alone] = asked.length === 1 ? asked : [];
      // The identity is inside already, or the address is somebody else's: an account is never joined to another.
      if (alone && isTaken) return [null];
      if (alone?.alongside) return [{ error }];
      if (alone || !(isTaken || asked.some(({ alongside }) => alongside))) throw error;
      // One of them spoils it for the others, who are not to hear of it.
      const outcomes: Outcome[] = [];
      for (const one of asked) outcomes.push(...(await redeemTogether([one])));
      return outcomes;
    }
  }

  function redeemAll(asked: Redemption[]): Promise<(PersonRow | null)[]> {
    const at = new Date(deps.now());
    const wanted = asked.map((redemption) => ({ ...redemption, personId: deps.newId() }));
    return retryOnDeadlock(deps.database, async (transaction) => {
      const invitations = await redeemInvitations(transaction, wanted, at);
      const redeemed = wanted.flatMap((redemption) => {
        const invitation = invitations.get(redemption.personId);
        return invitation ? [{ ...redemption, invitation }] : [];
      });
      if (redeemed.length === 0) return wanted.map(() => null);
      // All of them travel together, in this order.
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
          const by = { caller: { id: personId, email: invitation.email }, origin };
          return aboutInvitation(invitation, 'invitation.redeemed', by, { role: invitation.role, personId });
        }),
        shareInvitationAttachments(
          transaction,
          redeemed.map(({ personId, invitation }) => ({ personId, invitationId: invitation.id })),
          at,
        ),
        insertFirstSignIns(transaction, redeemed),
        ...redeemed.map(({ personId, alongside }) => alongside?.(transaction, personId)),
      ]);
      return wanted.map(({ personId }) => people.get(personId) ?? null);
    });
  }
}
