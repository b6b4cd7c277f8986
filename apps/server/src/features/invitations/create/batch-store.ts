import type { Batch, BatchProgress } from '@vestibule/contract/invitations/batches';
import { rowOf, type Queryable } from '../../../platform/database/database.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';

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

export function findBatchByKey(database: Queryable, callerId: string, key: string) {
  return rowOf<BatchRow>(database, {
    text: `select ${batchColumns} from invitation_batches where created_by_id = $1 and idempotency_key = $2`,
    values: [callerId, key],
  });
}

export async function readProgress(database: Queryable, batchId: string): Promise<BatchProgress | null> {
  const [batch, counted] = await Promise.all([
    database.query<BatchRow>({
      text: `select ${batchColumns} from invitation_batches where id = $1`,
      values: [batchId],
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

export function toBatch(row: BatchRow): Batch {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    counts: { created: row.created, sentAgain: row.sent_again, skipped: row.skipped },
  };
}
