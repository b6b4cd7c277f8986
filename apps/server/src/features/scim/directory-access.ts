/** Effects of a directory: those of the site act on people (site-access.ts), those of an organization on memberships (organization-access.ts). */
import type { Hooks } from '../../platform/extensions/hooks.ts';
import type { CoreDeps, Queryable } from '../../platform/database/database.ts';
import type { Caller, CallerOrganization, Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { nameOf } from './protocol/user-attributes.ts';
import { attributesOf, type UserRow } from './user-store.ts';

export type DirectoryAccessDeps = CoreDeps & {
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
  hooks: Hooks;
};

/** `organization` is null for the directory of the site. */
export type Actor = { caller: Caller; origin: Origin; organization: CallerOrganization | null };

/** Effects of a directory within the transaction of the request. */
export type DirectoryAccess = {
  /** Locks what a concurrent sign-up with this address changes. */
  lock(transaction: Queryable, emailCanonical: string): Promise<unknown>;
  /** Returns the id of the person with this address; in an organization, only of a member. */
  findPersonId(transaction: Queryable, emailCanonical: string): Promise<string | null>;
  grant(transaction: Queryable, row: UserRow, actor: Actor): Promise<void>;
  withdraw(transaction: Queryable, row: UserRow, actor: Actor): Promise<void>;
  revokeInvitations(transaction: Queryable, row: UserRow, actor: Actor): Promise<void>;
  /** Passes a new name or address on to the person of a user who has joined. */
  changeDetails(
    transaction: Queryable,
    change: { before: UserRow; after: UserRow },
    actor: Actor,
  ): Promise<void>;
  /** Withdraws the access of a user whom the directory deletes. */
  remove(transaction: Queryable, row: UserRow, actor: Actor): Promise<void>;
};

/** Returns the invitation of a directory user to the site, or to the organization of the directory. */
export const invitationOf = (row: UserRow, actor: Actor) => ({
  email: row.email,
  emailCanonical: row.email_canonical,
  name: nameOf(attributesOf(row)),
  ...actor,
});
