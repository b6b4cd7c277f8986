/** Grants and withdraws access for directory users, within the transaction of the request. */
import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { lifetimeMaximumDays } from '@vestibule/contract/rules/limits';
import * as z from 'zod/mini';
import { rowOf, rowsOf, type CoreDeps, type Queryable } from '../../platform/database/database.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { createInvitations } from '../invitations/create/create-invitations.ts';
import { revokeAndRecord } from '../invitations/lifecycle/lifecycle.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import { lockAdministrators, personActions, createPersonChanges } from '../people/person-changes.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { isInAdministratorGroup } from './group-store.ts';
import { nameOf } from './protocol/user-attributes.ts';
import { attributesOf, type UserRow } from './user-store.ts';

export type Actor = { caller: Caller; origin: Origin };

export type DirectoryUserDeps = CoreDeps & {
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
};

/** Defaults of the optional invitation fields, which a directory does not provide. */
const invitationDefaults = z.parse(z.omit(NewInvitation, { email: true }), {});

/** Discards mails. */
const silentMail: Pick<MailQueue, 'sends' | 'queue'> = { sends: false, queue: () => Promise.resolve() };

export function createDirectoryAccess(deps: DirectoryUserDeps) {
  const { now } = deps;
  const { change } = createPersonChanges(deps);
  return { change, grantAccess, withdrawAccess, revokeInvitations };

  async function grantAccess(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    if (row.person_id !== null) {
      await change(
        transaction,
        { ...actor, params: { personId: row.person_id }, query: {} },
        personActions.enable,
      );
      return;
    }
    const { invitationLifetimeDays, mailLanguage } = await deps.settings.current(transaction);
    const found = await rowOf<{ on_create: 'invite' | 'admit' }>(transaction, {
      text: 'select on_create from directory',
    });
    const isSilent = found?.on_create === 'admit';
    // An existing invitation by an administrator stays valid.
    await createInvitations({ ...deps, mail: isSilent ? silentMail : deps.mail }, transaction, [
      {
        ...invitationDefaults,
        email: row.email,
        emailCanonical: row.email_canonical,
        name: nameOf(attributesOf(row)),
        role: (await isInAdministratorGroup(transaction, row.id)) ? 'admin' : 'member',
        language: mailLanguage,
        lifetimeDays: isSilent ? lifetimeMaximumDays : invitationLifetimeDays,
        batchId: null,
        ...actor,
      },
    ]);
  }

  async function withdrawAccess(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    await revokeInvitations(transaction, row, actor);
    if (row.person_id !== null)
      await change(
        transaction,
        { ...actor, params: { personId: row.person_id }, query: {} },
        personActions.disable,
      );
  }

  /** Revokes pending invitations to the address. */
  async function revokeInvitations(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    const pending = await lockInvitations(transaction, row.email_canonical);
    await revokeAndRecord({ now }, transaction, pending, actor);
  }
}

/** Locks the administrators and the pending invitations to an address, so that none is redeemed meanwhile. */
export async function lockInvitations(transaction: Queryable, emailCanonical: string): Promise<string[]> {
  await lockAdministrators(transaction);
  const rows = await rowsOf<{ id: string }>(transaction, {
    text: `select id from invitations where email_canonical = $1 and status = 'pending' for update`,
    values: [emailCanonical],
  });
  return rows.map(({ id }) => id);
}

/** Returns the id of the person with this address and locks the row. */
export async function findPersonId(transaction: Queryable, emailCanonical: string): Promise<string | null> {
  const found = await rowOf<{ id: string }>(transaction, {
    text: 'select id from people where email_canonical = $1 for update',
    values: [emailCanonical],
  });
  return found?.id ?? null;
}
