/** How whoever the directory names is let in and shut out, each within the transaction of its request. */
import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { lifetimeMaximumDays } from '@vestibule/contract/rules/limits';
import * as z from 'zod/mini';
import { rowOf, rowsOf, type Basics, type Queryable } from '../../platform/database/database.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { createInvitations } from '../invitations/create/create-invitations.ts';
import { revoke } from '../invitations/lifecycle/lifecycle.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import { lockAdministrators, personActions, personChanges } from '../people/person-changes.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { findsAdministrator } from './group-store.ts';
import { nameOf } from './protocol/user-attributes.ts';
import { attributesOf, type UserRow } from './user-store.ts';

export type By = { caller: Caller; origin: Origin };

export type DirectoryUserDeps = Basics & {
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
};

/** What an administrator may leave out, and a directory knows nothing of. */
const leftOut = z.parse(z.omit(NewInvitation, { email: true }), {});

/** What is mailed to nobody. */
const silent: Pick<MailQueue, 'sends' | 'queue'> = { sends: false, queue: () => Promise.resolve() };

export function directoryAccess(deps: DirectoryUserDeps) {
  const { now } = deps;
  const { change } = personChanges(deps);
  return { change, letIn, shutOut, withdraw };

  async function letIn(transaction: Queryable, row: UserRow, by: By): Promise<void> {
    if (row.person_id !== null) {
      await change(
        transaction,
        { ...by, params: { personId: row.person_id }, query: {} },
        personActions.enable,
      );
      return;
    }
    const { invitationLifetimeDays, mailLanguage } = await deps.settings.current(transaction);
    const found = await rowOf<{ on_create: 'invite' | 'admit' }>(transaction, {
      text: 'select on_create from directory',
    });
    const isSilent = found?.on_create === 'admit';
    // Where an administrator has invited them already, that invitation leads in.
    await createInvitations({ ...deps, mail: isSilent ? silent : deps.mail }, transaction, [
      {
        ...leftOut,
        email: row.email,
        emailCanonical: row.email_canonical,
        name: nameOf(attributesOf(row)),
        role: (await findsAdministrator(transaction, row.id)) ? 'admin' : 'member',
        language: mailLanguage,
        lifetimeDays: isSilent ? lifetimeMaximumDays : invitationLifetimeDays,
        batchId: null,
        ...by,
      },
    ]);
  }

  async function shutOut(transaction: Queryable, row: UserRow, by: By): Promise<void> {
    await withdraw(transaction, row, by);
    if (row.person_id !== null)
      await change(
        transaction,
        { ...by, params: { personId: row.person_id }, query: {} },
        personActions.disable,
      );
  }

  /** What could still lead in by the address. */
  async function withdraw(transaction: Queryable, row: UserRow, by: By): Promise<void> {
    const pending = await hold(transaction, row.email_canonical);
    await revoke({ now }, transaction, pending, by);
  }
}

/** Holds the administrators, and what is pending of an address: nobody comes in by it meanwhile. */
export async function hold(transaction: Queryable, emailCanonical: string): Promise<string[]> {
  await lockAdministrators(transaction);
  const rows = await rowsOf<{ id: string }>(transaction, {
    text: `select id from invitations where email_canonical = $1 and status = 'pending' for update`,
    values: [emailCanonical],
  });
  return rows.map(({ id }) => id);
}

/** Who is inside by an address, held. */
export async function findPersonId(transaction: Queryable, emailCanonical: string): Promise<string | null> {
  const found = await rowOf<{ id: string }>(transaction, {
    text: 'select id from people where email_canonical = $1 for update',
    values: [emailCanonical],
  });
  return found?.id ?? null;
}
