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
import {
  batchColumns,
  batchLimit,
  findBatchByKey,
  readProgress,
  splitIntoChunks,
  toBatch,
  writeBatch,
  type BatchRow,
} from './batch-store.ts';
import { countVerdicts, warnAboutMailServers, checkRows, type CheckedRow } from './check-rows.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { revokeInvitations } from '../invitation-store.ts';
import type { ShortCodes } from '../link/short-code.ts';

export function batchRoutes(deps: {
  database: Database;
  mail: MailQueue;
  shortCodes: ShortCodes;
  settings: SettingsStore;
  findMailServers: FindMailServers;
  now: () => number;
  newId: () => string;
}): Implementation[] {
  const { database, now } = deps;

  async function checkBody(body: RouteBody<typeof checkInvitations>, caller: Caller): Promise<CheckedRow[]> {
    const { allowedDomains, invitationsPerBatch } = await deps.settings.current();
    if (body.rows.length > invitationsPerBatch)
      throw fail(requestErrors.invalid, {
        fields: {
          rows: createMessage(fieldTexts.moreRowsThanSet, { maximum: invitationsPerBatch }),
        },
      });
    const ownDomain = domainOf(canonicalEmail(caller.email) ?? '');
    return checkRows(database, body.rows, { ...body, allowedDomains, ownDomain }, new Date(now()));
  }

  async function create(
    body: RouteBody<typeof createBatch>,
    request: { key: string; hash: Buffer; caller: Caller; origin: Origin },
  ): Promise<Batch> {
    const { key, hash, caller } = request;
    const existing = await findBatchByKey(database, caller.id, key);
    if (existing) return toBatchOfSameRequest(existing, hash);

    const checkedRows = await checkBody(body, caller);
    const written = await writeBatch(deps, {
      ...request,
      body,
      checkedRows,
      settings: await deps.settings.current(),
    });
    return written
      ? toBatch(written)
      : toBatchOfSameRequest((await findBatchByKey(database, caller.id, key)) as BatchRow, hash);
  }

  return [
    implement(checkInvitations, async ({ body, caller }) => {
      const checkedRows = await checkBody(body, caller);
      await warnAboutMailServers(checkedRows, deps.findMailServers);
      return { rows: checkedRows.map(({ check }) => check), counts: countVerdicts(checkedRows) };
    }),

    implement(createBatch, ({ body, headers, caller, origin }) => {
      const key = headers['idempotency-key'];
      const hash = createHash('sha256').update(JSON.stringify(body)).digest();
      return create(body, { key, hash, caller, origin });
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
          for (const chunk of splitIntoChunks(revoked))
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

function toBatchOfSameRequest(row: BatchRow, hash: Buffer): Batch {
  if (!row.request_hash.equals(hash)) throw fail(batchErrors.keyTaken);
  return toBatch(row);
}
