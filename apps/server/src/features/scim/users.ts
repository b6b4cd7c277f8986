/**
 * Applies changes of directory users, in one transaction with their effects and the audit entries. The effects are those of the site
 * (site-access.ts), or of an organization if the directory is that of an organization (organization-access.ts).
 */
import { auditOf } from '../../platform/audit/audit-log.ts';
import { execute, retryOnDeadlock, type Database, type Queryable } from '../../platform/database/database.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import type { CurrentSettings } from '../settings/settings-store.ts';
import type { Actor, DirectoryAccess, DirectoryAccessDeps } from './directory-access.ts';
import { createOrganizationAccess } from './organization-access.ts';
import { badRequest, uniquenessFailure, unknownResource } from './protocol/scim-failure.ts';
import { addressOf, isGuestPrincipalName, type UserAttributes } from './protocol/user-attributes.ts';
import { createSiteAccess } from './site-access.ts';
import { attributesOf, createUserStore, type UserRow, type UserStore } from './user-store.ts';

type Directory = { access: DirectoryAccess; store: UserStore };

export type DirectoryUsers = ReturnType<typeof createDirectoryUsers>;

export function createDirectoryUsers(deps: DirectoryAccessDeps) {
  const { database, settings, now } = deps;
  const siteAccess = createSiteAccess(deps);
  const organizationAccess = createOrganizationAccess(deps);

  const directoryOf = ({ organization }: Actor): Directory =>
    organization === null
      ? { access: siteAccess, store: createUserStore(null) }
      : { access: organizationAccess(organization), store: createUserStore(organization.id) };

  return {
    create: (user: UserAttributes, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        const { access, store } = directoryOf(actor);
        const address = addressOf(user);
        await access.lock(transaction, address.emailCanonical);
        const personId = await access.findPersonId(transaction, address.emailCanonical);
        if (personId === null) requireAllowed(address.emailCanonical, await settings.current(transaction));
        const isReplaced = personId !== null && (await store.unlinkInactive(transaction, personId, address));
        const id = deps.newId();
        const active = user.active ?? true;
        await store.insert(transaction, id, { ...user, ...address, active, personId, at: new Date(now()) });
        await userAudit.record(transaction, { ...address, id }, 'directory.user_created', actor);
        const row = await requireUser(transaction, store, id);
        // Creating a directory user does not enable a person who was disabled here, only one whom the directory had disabled.
        if (!active) await access.withdraw(transaction, row, actor);
        else if (personId === null || isReplaced) await access.grant(transaction, row, actor);
        return requireUser(transaction, store, id);
      }),

    update: (id: string, applyChanges: (before: UserAttributes) => UserAttributes, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        const { access, store } = directoryOf(actor);
        const row = await requireLockedUser(transaction, { access, store }, id);
        const before = attributesOf(row);
        const requested = applyChanges({ ...before, active: null });
        const after = { ...requested, active: requested.active ?? row.active };
        const address = addressOf(after);
        // A repeated `active: false` applies again: an administrator may have enabled the person meanwhile.
        const isDisabled = requested.active === false;
        if (!hasChanged(before, after)) {
          if (isDisabled) await access.withdraw(transaction, row, actor);
          return requireUser(transaction, store, id);
        }
        const hasNewAddress = address.emailCanonical !== row.email_canonical;
        const isToggled = after.active !== row.active;
        if (hasNewAddress && row.person_id === null) await access.revokeInvitations(transaction, row, actor);
        const personId = row.person_id ?? (await access.findPersonId(transaction, address.emailCanonical));
        const isReplaced =
          personId !== null &&
          personId !== row.person_id &&
          (await store.unlinkInactive(transaction, personId, address));
        if (hasNewAddress && personId === null)
          requireAllowed(address.emailCanonical, await settings.current(transaction));
        await store.update(transaction, id, { ...after, ...address, personId, at: new Date(now()) });
        const detail = { before: { active: row.active }, after: { active: after.active } };
        await userAudit.record(transaction, { ...address, id }, 'directory.user_changed', actor, detail);
        const updated = await requireUser(transaction, store, id);
        await access.changeDetails(transaction, { before: row, after: updated }, actor);
        if (!after.active && (isDisabled || hasNewAddress))
          await access.withdraw(transaction, updated, actor);
        if (after.active && (isToggled || isReplaced || (hasNewAddress && personId === null)))
          await access.grant(transaction, updated, actor);
        return requireUser(transaction, store, id);
      }),

    remove: (id: string, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        const { access, store } = directoryOf(actor);
        const row = await requireLockedUser(transaction, { access, store }, id);
        await access.remove(transaction, row, actor);
        await store.delete(transaction, id);
        await userAudit.record(transaction, row, 'directory.user_removed', actor);
      }),
  };
}

/** Throws if the address may not be invited. */
function requireAllowed(emailCanonical: string, { allowedDomains }: CurrentSettings): void {
  if (isGuestPrincipalName(emailCanonical))
    throw badRequest(
      'invalidValue',
      'This is the principal name of a guest, which receives no mail. Map the mail address to emails[type eq "work"].value.',
    );
  if (!isAllowed(emailCanonical, allowedDomains))
    throw badRequest(
      'invalidValue',
      'The site does not allow addresses of this domain: Settings, Invitations, Allowed domains.',
    );
}

const userAudit = auditOf('directory_user', 'email');

/** Returns the locked row. Locks in the common order: invitation, person, directory user. */
async function requireLockedUser(
  transaction: Queryable,
  { access, store }: Directory,
  id: string,
): Promise<UserRow> {
  const unlocked = await requireUser(transaction, store, id);
  await access.lock(transaction, unlocked.email_canonical);
  const personId = unlocked.person_id ?? (await access.findPersonId(transaction, unlocked.email_canonical));
  if (personId !== null) await execute(transaction)`select from people where id = ${personId} for update`;
  const row = await store.find(transaction, id, { locked: true });
  if (!row) throw unknownResource();
  if (row.person_id !== null || personId === null) return row;
  // The person signed up while the directory created the user.
  await store.link(transaction, id, personId);
  return requireUser(transaction, store, id);
}

async function requireUser(database: Queryable, store: UserStore, id: string): Promise<UserRow> {
  const row = await store.find(database, id);
  if (!row) throw unknownResource();
  return row;
}

const hasChanged = (before: UserAttributes, after: UserAttributes) =>
  (Object.keys(before) as (keyof UserAttributes)[]).some((name) => before[name] !== after[name]);

/** PostgreSQL manual, appendix A. */
const uniqueViolation = '23505';

/** Reports violated unique indexes as SCIM errors. */
export async function runDirectoryTransaction<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  try {
    return await retryOnDeadlock(database, work);
  } catch (error) {
    const { code, constraint = '' } = error as { code?: string; constraint?: string };
    if (code === uniqueViolation && /^(?:organization_)?directory_/.test(constraint))
      throw uniquenessFailure(constraint);
    throw error;
  }
}
