/**
 * Inviting many at once. A batch is one transaction with its audit rows and mails. Its idempotency key is unique in the
 * database, so that a request that is sent again, however often and to whichever process, finds what the first one did.
 */
import { createHash } from 'node:crypto';
import { fieldTexts } from '@vestibule/contract/field-texts';
import {
  batchErrors,
  checkInvitations,
  createBatch,
  getBatch,
  listBatches,
  undoBatch,
  type Batch,
  type BatchProgress,
} from '@vestibule/contract/invitations/batches';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { RouteBody } from '@vestibule/contract/route';
import { say } from '@vestibule/contract/text';
import { recordChange, recordChanges } from '../../../platform/audit/audit-log.ts';
import type { Database, Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import {
  implement,
  type Caller,
  type Implementation,
  type Origin,
} from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { countVerdicts, judgeRows, type JudgedRow } from './check-rows.ts';
import { createInvitations, requirePack } from './create-invitations.ts';
import type { InvitationRules } from '../invitation-rules.ts';
import { revokeInvitations } from '../invitation-store.ts';
import { sendAgain } from '../life/send-again.ts';
import type { ShortCodes } from '../link/short-code.ts';

/** Rows of one statement: enough to cost little each, few enough to stay far from the limit of a statement's time. */
const chunkRows = 2_000;
/** A batch is one transaction however long its list is: 10,000 rows take 3 s on a quiet machine. Milliseconds. */
const batchLimit = { withinMs: 30_000 };

type BatchRow = {
  id: string;
  created_at: Date;
  created_by: string;
  request_hash: Buffer;
  created: number;
  sent_again: number;
  skipped: number;
  undone_at: Date | null;
};

const columns = 'id, created_at, created_by, request_hash, created, sent_again, skipped, undone_at';

export function batches(deps: {
  database: Database;
  mail: MailQueue;
  shortCodes: ShortCodes;
  rules: () => Promise<InvitationRules>;
  now: () => number;
  newId: () => string;
}): Implementation[] {
  const { database, now } = deps;
  /** Batches that this process is writing, by key: repetitions wait for them here and hold no connection. */
  const underWay = new Map<string, Promise<unknown>>();

  async function judge(body: RouteBody<typeof checkInvitations>): Promise<JudgedRow[]> {
    const { allowedDomains, invitationsPerBatch } = await deps.rules();
    if (body.rows.length > invitationsPerBatch)
      throw fail(requestErrors.invalid, {
        fields: {
          rows: say(fieldTexts.moreRowsThanSet, { maximum: invitationsPerBatch }),
        },
      });
    return judgeRows(database, body.rows, { ...body, allowedDomains }, new Date(now()));
  }

  async function create(
    body: RouteBody<typeof createBatch>,
    request: { key: string; hash: Buffer; caller: Caller; origin: Origin },
  ): Promise<Batch> {
    const { key, hash, caller, origin } = request;
    const { rows: _, sendAgain: alsoInvited, inviteLookAlikes, ...options } = body;
    const known = await findByKey(database, caller.id, key);
    if (known) return sameRequest(known, hash);

    await requirePack(database, body.attachmentIds, caller);
    const judged = await judge(body);
    const rules = await deps.rules();
    const written = await database.transaction(async (transaction) => {
      const id = deps.newId();
      const { rowCount } = await transaction.query({
        text: `insert into invitation_batches (id, created_at, created_by_id, created_by, idempotency_key, request_hash)
               values ($1, $2, $3, $4, $5, $6) on conflict (created_by_id, idempotency_key) do nothing`,
        values: [id, new Date(now()), caller.id, caller.email, key, hash],
      });
      // Another process was first; its transaction is over by now.
      if (rowCount === 0) return null;

      const wanted = judged.filter(
        ({ check }) => check.verdict === 'new' || (check.verdict === 'look_alike' && inviteLookAlikes),
      );
      let created = 0;
      // In one order, so that two batches with the same addresses never wait for each other in a circle.
      for (const chunk of inChunks(byAddress(wanted))) {
        const asked = chunk.map((row) => ({
          ...options,
          ...row,
          language: body.language ?? rules.mailLanguage,
          lifetimeDays: body.lifetimeDays ?? rules.invitationLifetimeDays,
          batchId: id,
          caller,
          origin,
        }));
        const rows = await createInvitations(deps, transaction, asked);
        created += rows.filter((row) => row !== null).length;
      }
      let sentAgain = 0;
      if (alsoInvited) {
        const invited = judged.filter(({ check }) => check.verdict === 'invited');
        for (const chunk of inChunks(byAddress(invited))) {
          const ids = await openInvitationsOf(
            transaction,
            chunk.map(({ emailCanonical }) => emailCanonical),
          );
          sentAgain += (
            await sendAgain(deps, transaction, { ids, perHour: rules.resendsPerHour, caller, origin })
          ).length;
        }
      }
      const counts = { created, sentAgain, skipped: judged.length - created - sentAgain };
      const { rows } = await transaction.query<BatchRow>({
        text: `update invitation_batches set created = $2, sent_again = $3, skipped = $4 where id = $1 returning ${columns}`,
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
    }, batchLimit);
    return written
      ? toBatch(written)
      : sameRequest((await findByKey(database, caller.id, key)) as BatchRow, hash);
  }

  return [
    implement(checkInvitations, async ({ body }) => {
      const judged = await judge(body);
      return { rows: judged.map(({ check }) => check), counts: countVerdicts(judged) };
    }),

    implement(createBatch, async ({ body, headers, caller, origin }) => {
      const key = headers['idempotency-key'];
      const name = `${caller.id} ${key}`;
      while (underWay.has(name)) await underWay.get(name);
      const hash = createHash('sha256').update(JSON.stringify(body)).digest();
      const creating = create(body, { key, hash, caller, origin });
      underWay.set(
        name,
        creating.catch(() => {}).finally(() => underWay.delete(name)),
      );
      return creating;
    }),

    implement(listBatches, async () => {
      const { rows } = await database.query<BatchRow>({
        text: `select ${columns} from invitation_batches order by created_at desc, id desc limit 50`,
      });
      return { rows: rows.map(toBatch) };
    }),

    implement(getBatch, async ({ params }) => {
      const progress = await readProgress(database, params.batchId);
      if (!progress) throw fail(batchErrors.notFound);
      return progress;
    }),

    implement(undoBatch, async ({ params: { batchId }, caller, origin }) => {
      const at = new Date(now());
      const progress = await database.transaction(async (transaction) => {
        const { rowCount } = await transaction.query({
          text: 'update invitation_batches set undone_at = coalesce(undone_at, $2) where id = $1',
          values: [batchId, at],
        });
        if (rowCount === 0) return null;
        const revoked = await revokeInvitations(transaction, { batchId }, at);
        for (const chunk of inChunks(revoked))
          await recordChanges(
            transaction,
            chunk.map(({ id, email }) => ({
              action: 'invitation.revoked',
              actor: caller,
              target: { type: 'invitation', id, label: email },
              origin,
              detail: { batchId },
            })),
          );
        if (revoked.length > 0)
          await recordChange(transaction, {
            action: 'invitation_batch.undone',
            actor: caller,
            target: { type: 'invitation_batch', id: batchId, label: `${revoked.length} invitations` },
            origin,
            detail: { revoked: revoked.length },
          });
        return readProgress(transaction, batchId);
      }, batchLimit);
      if (!progress) throw fail(batchErrors.notFound);
      return progress;
    }),
  ];
}

async function findByKey(database: Queryable, callerId: string, key: string): Promise<BatchRow | null> {
  const { rows } = await database.query<BatchRow>({
    text: `select ${columns} from invitation_batches where created_by_id = $1 and idempotency_key = $2`,
    values: [callerId, key],
  });
  return rows[0] ?? null;
}

function sameRequest(row: BatchRow, hash: Buffer): Batch {
  if (!row.request_hash.equals(hash)) throw fail(batchErrors.keyTaken);
  return toBatch(row);
}

async function openInvitationsOf(transaction: Queryable, addresses: string[]): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>({
    text: `select id from invitations where email_canonical = any($1) and status = 'pending'`,
    values: [addresses],
  });
  return rows.map(({ id }) => id);
}

async function readProgress(database: Queryable, batchId: string): Promise<BatchProgress | null> {
  const [batch, counted] = await Promise.all([
    database.query<BatchRow>({
      text: `select ${columns} from invitation_batches where id = $1`,
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
  return { ...toBatch(row), mails, redeemed, revoked, open, undoneAt: row.undone_at?.toISOString() ?? null };
}

function toBatch(row: BatchRow): Batch {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    counts: { created: row.created, sentAgain: row.sent_again, skipped: row.skipped },
  };
}

function byAddress(judged: JudgedRow[]) {
  return judged
    .flatMap(({ wanted }) => (wanted ? [wanted] : []))
    .sort((one, other) => (one.emailCanonical < other.emailCanonical ? -1 : 1));
}

function inChunks<Row>(rows: Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, index) =>
    rows.slice(index * chunkRows, (index + 1) * chunkRows),
  );
}
