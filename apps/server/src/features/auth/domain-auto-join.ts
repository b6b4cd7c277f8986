/** People who join without an invitation, because of the domain of their verified address. */
import { personErrors } from '@vestibule/contract/people';
import type { CoreDeps, Database, DatabaseDeps } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { Origin } from '../../platform/http/implement.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import { findLatestInvitation, isMember } from '../invitations/invitation-store.ts';
import { createAskToJoin } from '../organizations/ask-to-join.ts';
import { findOpenTo } from '../organizations/domain-store.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { belongsToRemovedPerson, type Identity } from '../people/people-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/**
 * Returns what admits a new user with this verified address without an invitation: the site admits the domain for this sign-in method, or
 * it is a verified domain of an organization with automatic enrolment. `request`: the user may ask such an organization.
 * Returns null if nothing does. Excludes addresses with a revoked or pending invitation, and removed people.
 */
export type CanAutoJoin = (
  methodId: string,
  emailCanonical: string,
  identity?: Identity,
) => Promise<'site' | 'organization' | 'request' | null>;

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
    const admittedBy = rule?.admits ? 'site' : await admittingOrganization(emailCanonical);
    if (admittedBy === null) return null;
    const latest = await findLatestInvitation(database, emailCanonical);
    // A manager of an organization cannot keep people from the site.
    if (latest?.status === 'pending' || (latest?.status === 'revoked' && latest.organization_id === null))
      return null;
    if (await belongsToRemovedPerson(database, emailCanonical, identity)) return null;
    return admittedBy;
  };

  /** An organization cannot admit domains whose addresses the site does not allow to be invited. */
  async function admittingOrganization(emailCanonical: string): Promise<'organization' | 'request' | null> {
    const { allowedDomains } = await deps.settings.current();
    if (!isAllowed(emailCanonical, allowedDomains)) return null;
    const found = await findOpenTo(database, emailCanonical, new Date(deps.now()));
    if (found?.enrolment === 'request') return 'request';
    // If all seats are taken, joining fails with this reason.
    return found && 'organization';
  }
}

/**
 * Asks the managers of the organization for a new user with a verified address: throws a failure that says so. Without their approval there is no
 * account. Returns null if there is no organization to ask.
 */
export function createAskByDomain(deps: CoreDeps & { database: Database; mail: MailQueue }) {
  const askToJoin = createAskToJoin(deps);
  return async ({
    name,
    email,
    emailCanonical,
    origin,
  }: {
    name: string | null;
    email: string;
    emailCanonical: string;
    origin: Origin;
  }): Promise<null> => {
    // Another account has the address.
    if (await isMember(deps.database, { emailCanonical, organizationId: null })) return null;
    const asked = await askToJoin({
      person: null,
      email,
      emailCanonical,
      displayName: name || email,
      origin,
    });
    if (!asked) return null;
    const values = { organization: asked.name };
    throw asked.isPending
      ? fail(personErrors.joinRequested, { values })
      : fail(personErrors.joinDeclined, { values });
  };
}
