/** Creates invitations: the rows, their audit entries and their mails, all of them in one transaction. */
import type { NewInvitation } from '@vestibule/contract/invitations';
import type * as z from 'zod/mini';
import { recordChanges } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { invitationMailName } from './invitation-mail.ts';
import { insertInvitations, type InvitationRow } from './invitation-store.ts';
import type { ShortCodes } from './short-code.ts';

const day = 24 * 60 * 60_000;

/** What is wanted, by whom. `emailCanonical` as canonicalEmail() writes it. */
export type InvitationRequest = z.output<typeof NewInvitation> & {
  emailCanonical: string;
  caller: Caller;
  origin: Origin;
};

/** The invitations, in the order they were asked for; null where the address is a member's or has an open one. */
export async function createInvitations(
  deps: {
    database: Database;
    mail: MailQueue;
    shortCodes: ShortCodes;
    lifetimeDays: number;
    now: () => number;
    newId: () => string;
  },
  asked: InvitationRequest[],
): Promise<(InvitationRow | null)[]> {
  const { shortCodes } = deps;
  const at = deps.now();
  const expiresAt = new Date(at + deps.lifetimeDays * day);
  const wanted = asked.map((request) => ({ ...request, id: deps.newId() }));
  const created = await deps.database.transaction(async (transaction) => {
    const rows = await insertInvitations(
      transaction,
      wanted.map(({ id, email, emailCanonical, name, role, message, caller }) => ({
        id,
        codeHash: shortCodes.hashOf(shortCodes.codeOf(id)),
        email,
        emailCanonical,
        name,
        role,
        message,
        mailState: 'queued',
        createdBy: caller.email,
        expiresAt,
      })),
      new Date(at),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const inserted = wanted.filter(({ id }) => byId.has(id));
    if (inserted.length > 0)
      await Promise.all([
        recordChanges(
          transaction,
          inserted.map(({ id, email, role, caller, origin }) => ({
            action: 'invitation.created',
            actor: caller,
            target: { type: 'invitation', id, label: email },
            origin,
            detail: { role, expiresAt },
          })),
        ),
        deps.mail.queue(
          transaction,
          inserted.map(({ id }) => ({ template: invitationMailName, subjectId: id })),
        ),
      ]);
    return byId;
  });
  return wanted.map(({ id }) => created.get(id) ?? null);
}
