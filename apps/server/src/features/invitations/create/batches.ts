/** Routes of invitation batches. A unique idempotency key lets a repeated request return the first batch. */
import { createHash } from 'node:crypto';
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import {
  batchErrors,
  checkInvitations,
  createBatch,
  getBatch,
  listBatches,
  undoBatch,
  type Batch,
} from '@vestibule/contract/invitations/batches';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { RouteBody } from '@vestibule/contract/route';
import { createMessage } from '@vestibule/contract/texts/text';
import { aboutInvitation, recordChange, recordEach } from '../../../platform/audit/audit-log.ts';
import { execute, rowsOf, retryOnDeadlock, type Database } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import {
  implement,
  type Caller,
  type Implementation,
  type Origin,
} from '../../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import type { FindMailServers } from '../../../platform/mail/mail-servers.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import { batchColumns, findBatchByKey, readProgress, toBatch, type BatchRow } from './batch-store.ts';
import { countVerdicts, doubtMailServers, judgeRows, type JudgedRow } from './check-rows.ts';
import { requirePack } from './create-invitations.ts';
import type { InvitationRules } from '../invitation-rules.ts';
import { revokeInvitations } from '../invitation-store.ts';
import type { ShortCodes } from '../link/short-code.ts';
import { batchLimit, inChunks, writeBatch } from './write-batch.ts';

export function batches(deps: {
  database: Database;
  mail: MailQueue;
  shortCodes: ShortCodes;
  rules: () => Promise<InvitationRules>;
  findMailServers: FindMailServers;
  now: () => number;
  newId: () => string;
}): Implementation[] {
  const { database, now } = deps;
  /** Batches that this process is writing. Repeated requests wait here, without a database connection. */
  const underWay = new Map<string, Promise<unknown>>();

  async function judge(body: RouteBody<typeof checkInvitations>, caller: Caller): Promise<JudgedRow[]> {
    const { allowedDomains, invitationsPerBatch } = await deps.rules();
    if (body.rows.length > invitationsPerBatch)
      throw fail(requestErrors.invalid, {
        fields: {
          rows: createMessage(fieldTexts.moreRowsThanSet, { maximum: invitationsPerBatch }),
        },
      });
    const ownDomain = domainOf(canonicalEmail(caller.email) ?? '');
    return judgeRows(database, body.rows, { ...body, allowedDomains, ownDomain }, new Date(now()));
  }

  async function create(
    body: RouteBody<typeof createBatch>,
    request: { key: string; hash: Buffer; caller: Caller; origin: Origin },
  ): Promise<Batch> {
    const { key, hash, caller } = request;
    const known = await findBatchByKey(database, caller.id, key);
    if (known) return sameRequest(known, hash);

    await requirePack(database, body.attachmentIds, caller);
    const judged = await judge(body, caller);
    const written = await writeBatch(deps, { ...request, body, judged, rules: await deps.rules() });
    return written
      ? toBatch(written)
      : sameRequest((await findBatchByKey(database, caller.id, key)) as BatchRow, hash);
  }

  return [
    implement(checkInvitations, async ({ body, caller }) => {
      const judged = await judge(body, caller);
      await doubtMailServers(judged, deps.findMailServers);
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
      const rows = await rowsOf<BatchRow>(database, {
        text: `select ${batchColumns} from invitation_batches order by created_at desc, id desc limit 50`,
      });
      const named = await findPeopleByEmail(database, valuesOf(rows, 'created_by'));
      return { rows: rows.map((row) => ({ ...toBatch(row), inviter: named(row.created_by) })) };
    }),

    implement(getBatch, async ({ params }) => {
      const progress = await readProgress(database, params.batchId);
      if (!progress) throw fail(batchErrors.notFound);
      return progress;
    }),

    implement(undoBatch, async ({ params: { batchId }, caller, origin }) => {
      const at = new Date(now());
      const progress = await retryOnDeadlock(
        database,
        async (transaction) => {
          const rowCount = await execute(transaction, {
            text: 'update invitation_batches set undone_at = coalesce(undone_at, $2) where id = $1',
            values: [batchId, at],
          });
          if (rowCount === 0) return null;
          const revoked = await revokeInvitations(transaction, { batchId }, at);
          for (const chunk of inChunks(revoked))
            await recordEach(transaction, chunk, (row) =>
              aboutInvitation(row, 'invitation.revoked', { caller, origin }, { batchId }),
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
        },
        batchLimit,
      );
      if (!progress) throw fail(batchErrors.notFound);
      return progress;
    }),
  ];
}

function sameRequest(row: BatchRow, hash: Buffer): Batch {
  if (!row.request_hash.equals(hash)) throw fail(batchErrors.keyTaken);
  return toBatch(row);
}
