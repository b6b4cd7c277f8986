/** Writes a batch with its audit rows and mails in one transaction. */
import type { createBatch } from '@vestibule/contract/invitations/batches';
import type { RouteBody } from '@vestibule/contract/route';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import {
  execute,
  rowsOf,
  retryOnDeadlock,
  type CoreDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { InvitationRules } from '../invitation-rules.ts';
import { resendInvitationMail } from '../lifecycle/resend.ts';
import type { ShortCodes } from '../link/short-code.ts';
import { batchColumns, type BatchRow } from './batch-store.ts';
import type { CheckedRow } from './check-rows.ts';
import { createInvitations } from './create-invitations.ts';

/** Rows per statement: many for a low cost per row, but far from the statement timeout. */
const rowsPerChunk = 2_000;
/** Time limit of the transaction. 10,000 rows take 3 s on an idle machine. */
export const batchLimit = { withinMs: 30_000 };

type BatchInput = {
  body: RouteBody<typeof createBatch>;
  checkedRows: CheckedRow[];
  rules: InvitationRules;
  key: string;
  hash: Buffer;
  caller: Caller;
  origin: Origin;
};

/** Returns null if a batch with this key exists. */
export function writeBatch(
  deps: CoreDeps & { mail: MailQueue; shortCodes: ShortCodes },
  { body, checkedRows, rules, key, hash, caller, origin }: BatchInput,
): Promise<BatchRow | null> {
  const { rows: _, sendAgain: resendsToInvited, inviteLookAlikes, ...options } = body;
  const write = async (transaction: Queryable): Promise<BatchRow | null> => {
    const id = deps.newId();
    const rowCount = await execute(transaction, {
      text: `insert into invitation_batches (id, created_at, created_by_id, created_by, idempotency_key, request_hash)
             values ($1, $2, $3, $4, $5, $6) on conflict (created_by_id, idempotency_key) do nothing`,
      values: [id, new Date(deps.now()), caller.id, caller.email, key, hash],
    });
    // Another process has committed a batch with this key.
    if (rowCount === 0) return null;

    const accepted = checkedRows.filter(
      ({ check: { verdict } }) =>
        verdict === 'new' || verdict === 'doubtful_domain' || (verdict === 'look_alike' && inviteLookAlikes),
    );
    let created = 0;
    // A fixed order avoids deadlocks between batches with the same addresses.
    for (const chunk of splitIntoChunks(sortByAddress(accepted))) {
      const requests = chunk.map((row) => ({
        ...options,
        ...row,
        language: body.language ?? rules.mailLanguage,
        lifetimeDays: body.lifetimeDays ?? rules.invitationLifetimeDays,
        batchId: id,
        caller,
        origin,
      }));
      const rows = await createInvitations(deps, transaction, requests);
      created += rows.filter((row) => row !== null).length;
    }
    let sentAgain = 0;
    if (resendsToInvited) {
      const invited = checkedRows.filter(({ check }) => check.verdict === 'invited');
      for (const chunk of splitIntoChunks(sortByAddress(invited))) {
        const ids = await findPendingIds(transaction, valuesOf(chunk, 'emailCanonical'));
        sentAgain += (
          await resendInvitationMail(deps, transaction, {
            ids,
            perHour: rules.resendsPerHour,
            caller,
            origin,
          })
        ).length;
      }
    }
    const counts = { created, sentAgain, skipped: checkedRows.length - created - sentAgain };
    const rows = await rowsOf<BatchRow>(transaction, {
      text: `update invitation_batches set created = $2, sent_again = $3, skipped = $4 where id = $1 returning ${batchColumns}`,
      values: [id, created, sentAgain, counts.skipped],
    });
    await recordChange(transaction, {
      action: 'invitation_batch.created',
      actor: caller,
      target: { type: 'invitation_batch', id, label: `${created} invitations` },
      origin,
      detail: counts,
    });
    return rows[0] as BatchRow;
  };
  return retryOnDeadlock(deps.database, write, batchLimit);
}

async function findPendingIds(transaction: Queryable, addresses: string[]): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(transaction, {
    text: `select id from invitations where email_canonical = any($1) and status = 'pending'`,
    values: [addresses],
  });
  return rows.map(({ id }) => id);
}

function sortByAddress(checkedRows: CheckedRow[]) {
  return checkedRows
    .flatMap(({ invitee }) => (invitee ? [invitee] : []))
    .sort((one, other) => (one.emailCanonical < other.emailCanonical ? -1 : 1));
}

export function splitIntoChunks<Row>(rows: Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsPerChunk) }, (_, index) =>
    rows.slice(index * rowsPerChunk, (index + 1) * rowsPerChunk),
  );
}
