/** Domain auto-join. Excludes addresses with a revoked or pending invitation, and removed people. */
import type { Database } from '../../platform/database/database.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import { findLatestInvitation } from '../invitations/invitation-store.ts';
import type { Identity } from '../people/people-store.ts';
import { belongsToRemovedPerson } from '../people/people-store.ts';

/** Returns whether a new user with this verified address may join without an invitation. */
export type CanAutoJoin = (methodId: string, emailCanonical: string, identity?: Identity) => Promise<boolean>;

export function createCanAutoJoin(deps: {
  database: Database;
  ruleOf: (domain: string) => Promise<{ way: string; admits: boolean } | null>;
}): CanAutoJoin {
  const { database } = deps;
  return async (methodId, emailCanonical, identity) => {
    const rule = await deps.ruleOf(domainOf(emailCanonical));
    if (rule?.way !== methodId || !rule.admits) return false;
    const latest = await findLatestInvitation(database, emailCanonical);
    if (latest?.status === 'revoked' || latest?.status === 'pending') return false;
    return !(await belongsToRemovedPerson(database, emailCanonical, identity));
  };
}
