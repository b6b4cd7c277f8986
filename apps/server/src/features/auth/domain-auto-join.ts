/** Who comes in without an invitation: people of a domain, as the settings say, but those who need somebody's word to come in again. */
import type { Database } from '../../platform/database/database.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import { findLatestInvitation } from '../invitations/invitation-store.ts';
import type { Identity } from '../people/people-store.ts';
import { wasRemoved } from '../people/removed/deleted-identities.ts';

/** Whether somebody new, whose address that is, and whose account where it is known, comes in by a way without an invitation. */
export type IsOpenTo = (way: string, address: string, identity?: Identity) => Promise<boolean>;

export function createIsOpenTo(deps: {
  database: Database;
  ruleOf: (domain: string) => Promise<{ way: string; admits: boolean } | null>;
}): IsOpenTo {
  const { database } = deps;
  return async (way, address, identity) => {
    const rule = await deps.ruleOf(domainOf(address));
    if (rule?.way !== way || !rule.admits) return false;
    const latest = await findLatestInvitation(database, address);
    if (latest?.status === 'revoked' || latest?.status === 'pending') return false;
    return !(await wasRemoved(database, address, identity));
  };
}
