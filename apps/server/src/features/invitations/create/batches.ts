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
import {
  checkOrganizationInvitations,
  createOrganizationBatch,
  getOrganizationBatch,
  listOrganizationBatches,
  undoOrganizationBatch,
} from '@vestibule/contract/invitations/in-organization';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { RouteBody } from '@vestibule/contract/route';
import { createMessage } from '@vestibule/contract/texts/text';
import {
  execute,
  rawSql,
  retryOnDeadlock,
  rowsOf,
  type CoreDeps,
} from '../../../platform/database/database.ts';
import { fail, required } from '../../../platform/errors/failure.ts';
import {
  implementInScopes,
  type Caller,
  type CallerOrganization,
  type Implementation,
  type ScopedActor,
} from '../../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import type { FindMailServers } from '../../../platform/mail/mail-servers.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import {
  batchAudit,
  batchColumns,
  batchLimit,
  findBatchByKey,
  isBatchInScopeSql,
  readProgress,
  toBatch,
  writeBatch,
  type BatchRow,
} from './batch-store.ts';
import { countVerdicts, warnAboutMailServers, checkRows, type CheckedRow } from './check-rows.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { revokeAndRecord } from '../lifecycle/lifecycle.ts';
import type { ShortCodes } from '../link/short-code.ts';
import {
  createRoleReader,
  requireOpenOrganization,
  requireRole,
  scopeOf,
  type CountSending,
  type RoleReaderDeps,
} from '../scope.ts';

export function batchRoutes(
  deps: CoreDeps &
    RoleReaderDeps & {
      mail: MailQueue;
      shortCodes: ShortCodes;
      settings: SettingsStore;
      findMailServers: FindMailServers;
      countSending: CountSending;
    },
): Implementation[] {
  const { database, now } = deps;

  async function checkBody(
    body: RouteBody<typeof checkInvitations>,
    caller: Caller,
    organization: CallerOrganization | null,
  ): Promise<CheckedRow[]> {
    requireOpenOrganization(organization);
    const readRole = await createRoleReader(deps, organization);
    requireRole(readRole, body.role);
    const { allowedDomains, invitationsPerBatch } = await deps.settings.current();
    if (body.rows.length > invitationsPerBatch)
      throw fail(requestErrors.invalid, {
        fields: { rows: createMessage(fieldTexts.moreRowsThanSet, { maximum: invitationsPerBatch }) },
      });
    const ownDomain = domainOf(canonicalEmail(caller.email) ?? '');
    return checkRows(
      database,
      body.rows,
      { ...body, readRole, allowedDomains, ownDomain, organizationId: organization?.id ?? null },
      new Date(now()),
    );
  }

  async function create(
    body: RouteBody<typeof createBatch>,
    request: ScopedActor & { key: string; hash: Buffer },
  ): Promise<Batch> {
    const { key, hash, caller, organization } = request;
    const existing = await findBatchByKey(database, caller.id, key);
    if (existing) return toBatchOfSameRequest(existing, hash);

    const checkedRows = await checkBody(body, caller, organization);
    const addresses = checkedRows.flatMap(({ invitee }) => invitee?.emailCanonical ?? []);
    await deps.countSending(caller, organization, addresses);
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
    ...implementInScopes(
      checkInvitations,
      checkOrganizationInvitations,
      async ({ body, caller, organization }) => {
        const checkedRows = await checkBody(body, caller, organization);
        await warnAboutMailServers(checkedRows, deps.findMailServers);
        return { rows: checkedRows.map(({ check }) => check), counts: countVerdicts(checkedRows) };
      },
    ),

    ...implementInScopes(createBatch, createOrganizationBatch, ({ body, headers, ...call }) => {
      const { caller, organization, origin } = call;
      const key = headers['idempotency-key'];
      const hash = createHash('sha256')
        .update(JSON.stringify(organization === null ? body : [organization.id, body]))
        .digest();
      return create(body, { key, hash, caller, organization, origin });
    }),

    ...implementInScopes(listBatches, listOrganizationBatches, async ({ organization }) => {
      const rows = await rowsOf<BatchRow>(database)`
        select ${rawSql(batchColumns)} from invitation_batches
          where ${rawSql(isBatchInScopeSql, organization?.id ?? null)}
        order by created_at desc, id desc limit 50`;
      const named = await findPeopleByEmail(database, valuesOf(rows, 'created_by'));
      return { rows: rows.map((row) => ({ ...toBatch(row), inviter: named(row.created_by) })) };
    }),

    ...implementInScopes(getBatch, getOrganizationBatch, async ({ params, organization }) =>
      required(await readProgress(database, params.batchId, scopeOf(organization)), batchErrors.notFound),
    ),

    ...undoRoutes(deps),
  ];
}

const undoRoutes = ({ database, now }: Pick<CoreDeps, 'database' | 'now'>): Implementation[] => [
  ...implementInScopes(undoBatch, undoOrganizationBatch, async (call) => {
    const { params, organization } = call;
    const { batchId } = params;
    const at = new Date(now());
    const progress = await retryOnDeadlock(
      database,
      async (transaction) => {
        const rowCount = await execute(transaction)`
          update invitation_batches set undone_at = coalesce(undone_at, ${at})
          where id = ${batchId} and ${rawSql(isBatchInScopeSql, organization?.id ?? null)}`;
        if (rowCount === 0) return null;
        const revoked = await revokeAndRecord({ now }, transaction, { batchId }, call, { batchId });
        if (revoked.length > 0) {
          const target = { id: batchId, label: `${revoked.length} invitations` };
          const detail = { revoked: revoked.length };
          await batchAudit.record(transaction, target, 'invitation_batch.undone', call, detail);
        }
        return readProgress(transaction, batchId, scopeOf(organization));
      },
      batchLimit,
    );
    if (!progress) throw fail(batchErrors.notFound);
    return progress;
  }),
];

function toBatchOfSameRequest(row: BatchRow, hash: Buffer): Batch {
  if (!row.request_hash.equals(hash)) throw fail(batchErrors.keyTaken);
  return toBatch(row);
}
