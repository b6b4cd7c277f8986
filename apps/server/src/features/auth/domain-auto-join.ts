/** People who join without an invitation, because of the domain of their verified address. */
import type { DatabaseDeps } from '../../platform/database/database.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import { findLatestInvitation } from '../invitations/invitation-store.ts';
import { admitsAddress } from '../organizations/domain-store.ts';
import { belongsToRemovedPerson, type Identity } from '../people/people-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/**
 * Returns what admits a new user with this verified address without an invitation: the site admits the domain for this sign-in method, or
 * it is a verified domain of an organization with automatic enrolment and a free seat. Returns null if nothing does. Excludes addresses with a
 * revoked or pending invitation, and removed people.
 */
export type CanAutoJoin = (
  methodId: string,
  emailCanonical: string,
  identity?: Identity,
) => Promise<'site' | 'organization' | null>;

export function createCanAutoJoin(
  deps: DatabaseDeps & {
    settings: SettingsStore;
    ruleOf: (domain: string) => Promise<{ way: string; admits: boolean } | null>;
  },
): CanAutoJoin {
  const { database } = deps;
  return async (methodId, emailCanonical, identity) => {
    const domain = domainOf(emailCanonical);
    const rule = await deps.ruleOf(domain);
    // The site prescribes another sign-in method for the domain.
    if (rule && rule.way !== methodId) return null;
    const isAdmittedBySite = rule?.admits === true;
    if (!isAdmittedBySite && !(await isAdmittedByOrganization(emailCanonical))) return null;
    const latest = await findLatestInvitation(database, emailCanonical);
    // A manager of an organization cannot keep people from the site.
    if (latest?.status === 'pending' || (latest?.status === 'revoked' && latest.organization_id === null))
      return null;
    if (await belongsToRemovedPerson(database, emailCanonical, identity)) return null;
    return isAdmittedBySite ? 'site' : 'organization';
  };

  /** An organization cannot admit domains whose addresses the site does not allow to be invited. */
  async function isAdmittedByOrganization(emailCanonical: string): Promise<boolean> {
    const { allowedDomains } = await deps.settings.current();
    if (!isAllowed(emailCanonical, allowedDomains)) return false;
    return admitsAddress(database, emailCanonical, new Date(deps.now()));
  }
}
