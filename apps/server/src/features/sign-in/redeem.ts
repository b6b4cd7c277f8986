/**
 * Redeems invitations: the invitation, the person, the audit row and the first sign-in are written together or not at
 * all. Who comes in at the same moment shares a transaction; each is still judged by itself.
 */
import { recordChanges } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { gather } from '../../platform/database/gather.ts';
import type { Origin } from '../../platform/http/implement.ts';
import { shareWelcomePacks } from '../attachments/files/welcome-pack.ts';
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
  /** Null for somebody who has signed up and not signed in yet. */
  signIn: Omit<SignIn, 'personId'> | null;
  origin: Origin;
};

/** The new person; null when no invitation is open for the address, or the person cannot be made. */
export type Redeem = (redemption: Redemption) => Promise<PersonRow | null>;

export function createRedeem(deps: { database: Database; now: () => number; newId: () => string }): Redeem {
  return gather(redeemTogether, 2);

  async function redeemTogether(asked: Redemption[]): Promise<(PersonRow | null)[]> {
    try {
      return await redeemAll(asked);
    } catch (error) {
      const { code, constraint } = error as { code?: string; constraint?: string };
      const isTaken = /^(?:people|identities)_/.test(constraint ?? '');
      // The identity is inside already, or the address is somebody else's: an account is never joined to another.
      if (isTaken && asked.length === 1) return [null];
      if (asked.length === 1 || !(isTaken || code === deadlock)) throw error;
      // One of them spoils it for the others, who are not to hear of it.
      const people: (PersonRow | null)[] = [];
      for (const one of asked) people.push(...(await redeemTogether([one])));
      return people;
    }
  }

  function redeemAll(asked: Redemption[]): Promise<(PersonRow | null)[]> {
    const at = new Date(deps.now());
    const wanted = asked.map((redemption) => ({ ...redemption, personId: deps.newId() }));
    return deps.database.transaction(async (transaction) => {
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
        recordChanges(
          transaction,
          redeemed.map(({ personId, origin, invitation: { id, email, role } }) => ({
            action: 'invitation.redeemed',
            actor: { id: personId, email },
            target: { type: 'invitation', id, label: email },
            origin,
            detail: { role, personId },
          })),
        ),
        shareWelcomePacks(
          transaction,
          redeemed.map(({ personId, invitation }) => ({ personId, invitationId: invitation.id })),
          at,
        ),
        insertFirstSignIns(transaction, redeemed),
      ]);
      return wanted.map(({ personId }) => people.get(personId) ?? null);
    });
  }
}

/** PostgreSQL's code for transactions that wait for each other (appendix A of its manual). */
const deadlock = '40P01';
