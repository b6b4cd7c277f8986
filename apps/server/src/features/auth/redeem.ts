/** Concurrent redemptions share a transaction. If one violates a constraint, each is retried alone. */
import { aboutInvitation, recordEach } from '../../platform/audit/audit-log.ts';
import { retryOnDeadlock, type CoreDeps, type Queryable } from '../../platform/database/database.ts';
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

/** `claimed`: invitation returned by the provider. `isVerified`: the provider asserts the ownership of the address. */
export type Redemption = Identity & {
  way: string;
  emailCanonical: string;
  claimed: string | null;
  isVerified: boolean;
  name: string | null;
  alongside?: (transaction: Queryable, personId: string) => Promise<unknown>;
  /** Null for a sign-up, which is not a sign-in. */
  signIn: Omit<SignIn, 'personId'> | null;
  origin: Origin;
};

type Outcome = PersonRow | null | { error: unknown };

/** Returns the new person; null if no invitation is open for the address, or the identity or the address is taken. */
type Redeem = (redemption: Redemption) => Promise<PersonRow | null>;

export function createRedeem(deps: CoreDeps): Redeem {
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
      if (single?.alongside) return [{ error }];
      if (single || !(isTaken || redemptions.some(({ alongside }) => alongside))) throw error;
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
          return aboutInvitation(invitation, 'invitation.redeemed', actor, {
            role: invitation.role,
            personId,
          });
        }),
        shareInvitationAttachments(
          transaction,
          redeemed.map(({ personId, invitation }) => ({ personId, invitationId: invitation.id })),
          at,
        ),
        insertFirstSignIns(transaction, redeemed),
        ...redeemed.map(({ personId, alongside }) => alongside?.(transaction, personId)),
      ]);
      return candidates.map(({ personId }) => people.get(personId) ?? null);
    });
  }
}
