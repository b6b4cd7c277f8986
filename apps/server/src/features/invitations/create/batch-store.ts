/** Reads and writes batches. A batch is written with its audit rows and mails in one transaction. */
import type { Batch, BatchProgress, createBatch } from '@vestibule/contract/invitations/batches';
import type { RouteBody } from '@vestibule/contract/route';
import { auditOf } from '../../../platform/audit/audit-log.ts';
import {
  execute,
  rawSql,
  retryOnDeadlock,
  rowOf,
  rowsOf,
  scalarsOf,
  type CoreDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import type { CallerOrganization, ScopedActor } from '../../../platform/http/implement.ts';
import type { Scope } from '../../../platform/lists/list-source.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import type { CurrentSettings } from '../../settings/settings-store.ts';
import { resendInvitationMail } from '../lifecycle/follow-ups.ts';
import type { ShortCodes } from '../link/short-code.ts';
import type { CheckedRow } from './check-rows.ts';
import { createInvitations, withDefaults } from './create-invitations.ts';

export type BatchRow = {
  id: string;
  created_at: Date;
  created_by: string;
  request_hash: Buffer;
  created: number;
  sent_again: number;
  skipped: number;
  undone_at: Date | null;
};

export const batchColumns =
  'id, created_at, created_by, request_hash, created, sent_again, skipped, undone_at';

/** SQL condition of batches in a scope; `organization` is a parameter, null for the whole site. */
export const isBatchInScopeSql = (organization: string) =>
  `(${organization}::uuid is null or organization_id = ${organization})`;

export const batchAudit = auditOf('invitation_batch', 'label');

const organizationIdOf = (scope: Scope) => (scope === 'site' ? null : scope.organizationId);

export const findBatchByKey = (database: Queryable, callerId: string, key: string) =>
  rowOf<BatchRow>(database)`
    select ${rawSql(batchColumns)} from invitation_batches where created_by_id = ${callerId} and idempotency_key = ${key}`;

/** Returns null for a batch of another organization. */
export async function readProgress(
  database: Queryable,
  batchId: string,
  scope: Scope,
): Promise<BatchProgress | null> {
  const [batch, counted] = await Promise.all([
    database.query<BatchRow>({
      text: `select ${batchColumns} from invitation_batches where id = $1 and ${isBatchInScopeSql('$2')}`,
      values: [batchId, organizationIdOf(scope)],
    }),
    database.query<Record<'none' | 'queued' | 'sent' | 'failed' | 'redeemed' | 'revoked' | 'open', number>>({
      text: `select count(*) filter (where mail_state = 'none') as none,
               count(*) filter (where mail_state = 'queued') as queued,
               count(*) filter (where mail_state = 'sent') as sent,
               count(*) filter (where mail_state = 'failed') as failed,
               count(*) filter (where status = 'redeemed') as redeemed,
               count(*) filter (where status = 'revoked') as revoked,
               count(*) filter (where status = 'pending') as open
             from invitations where batch_id = $1`,
      values: [batchId],
    }),
  ]);
  const row = batch.rows[0];
  const counts = counted.rows[0];
  if (!row || !counts) return null;
  const { redeemed, revoked, open, ...mails } = counts;
  const named = await findPeopleByEmail(database, [row.created_by]);
  return {
    ...toBatch(row),
    inviter: named(row.created_by),
    mails,
    redeemed,
    revoked,
    open,
    undoneAt: row.undone_at?.toISOString() ?? null,
  };
}

export const toBatch = (row: BatchRow): Batch => ({
  id: row.id,
  createdAt: row.created_at.toISOString(),
  createdBy: row.created_by,
  counts: { created: row.created, sentAgain: row.sent_again, skipped: row.skipped },
});

/** Rows per statement: many for a low cost per row, but far from the statement timeout. */
const rowsPerChunk = 2_000;
/** Time limit of the transaction. 10,000 rows take 3 s on an idle machine. */
export const batchLimit = { withinMs: 30_000 };

type BatchInput = ScopedActor & {
  body: RouteBody<typeof createBatch>;
  checkedRows: CheckedRow[];
  settings: CurrentSettings;
  key: string;
  hash: Buffer;
};

/** Returns null if a batch with this key exists. */
export function writeBatch(
  deps: CoreDeps & { mail: MailQueue; shortCodes: ShortCodes },
  { body, checkedRows, settings, key, hash, caller, organization, origin }: BatchInput,
): Promise<BatchRow | null> {
  const { rows: _, sendAgain: resendsToInvited, inviteLookAlikes, ...options } = body;
  const write = async (transaction: Queryable): Promise<BatchRow | null> => {
    const id = deps.newId();
    const rowCount = await execute(transaction)`
      insert into invitation_batches (id, created_at, created_by_id, created_by, idempotency_key, request_hash,
        organization_id)
      values (${id}, ${new Date(deps.now())}, ${caller.id}, ${caller.email}, ${key}, ${hash},
        ${organization?.id ?? null}) on conflict (created_by_id, idempotency_key) do nothing`;
    // Another process has committed a batch with this key.
    if (rowCount === 0) return null;

    const accepted = checkedRows.filter(
      ({ check: { verdict } }) =>
        verdict === 'new' || verdict === 'doubtful_domain' || (verdict === 'look_alike' && inviteLookAlikes),
    );
    let created = 0;
    // A fixed order avoids deadlocks between batches with the same addresses.
    for (const chunk of splitIntoChunks(sortByAddress(accepted))) {
      const requests = chunk.map((row) =>
        withDefaults(settings, { ...options, ...row, batchId: id, caller, organization, origin }),
      );
      const rows = await createInvitations(deps, transaction, requests);
      created += rows.filter((row) => row !== null).length;
    }
    let sentAgain = 0;
    if (resendsToInvited) {
      const invited = checkedRows.filter(({ check }) => check.verdict === 'invited');
      for (const chunk of splitIntoChunks(sortByAddress(invited))) {
        const ids = await findPendingIds(transaction, valuesOf(chunk, 'emailCanonical'), organization);
        sentAgain += (
          await resendInvitationMail(deps, transaction, {
            ids,
            perHour: settings.resendsPerHour,
            caller,
            organization,
            origin,
          })
        ).length;
      }
    }
    const counts = { created, sentAgain, skipped: checkedRows.length - created - sentAgain };
    const rows = await rowsOf<BatchRow>(transaction)`
      update invitation_batches set created = ${created}, sent_again = ${sentAgain}, skipped = ${counts.skipped}
        where id = ${id} returning ${rawSql(batchColumns)}`;
    const target = { id, label: `${created} invitations` };
    const context = { caller, origin, organization };
    await batchAudit.record(transaction, target, 'invitation_batch.created', context, counts);
    return rows[0] as BatchRow;
  };
  return retryOnDeadlock(deps.database, write, batchLimit);
}

const findPendingIds = (
  transaction: Queryable,
  addresses: string[],
  organization: CallerOrganization | null,
) =>
  scalarsOf<string>(transaction)`
    select id from invitations
    where email_canonical = any(${addresses}) and status = 'pending' and organization_id is not distinct
      from ${organization?.id ?? null}`;

const sortByAddress = (checkedRows: CheckedRow[]) =>
  checkedRows
    .flatMap(({ invitee }) => (invitee ? [invitee] : []))
    .sort((one, other) => (one.emailCanonical < other.emailCanonical ? -1 : 1));

export const splitIntoChunks = <Row>(rows: Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / rowsPerChunk) }, (_, index) =>
    rows.slice(index * rowsPerChunk, (index + 1) * rowsPerChunk),
  );
