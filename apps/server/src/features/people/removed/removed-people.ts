/** Routes for removed people: list, transfer of their files, erasure. */
import {
  erasePerson,
  handOverFiles,
  listRemovedPeople,
  type RemovedColumn,
  type RemovedPerson,
} from '@vestibule/contract/people/removed';
import type { Area } from '../../../platform/area.ts';
import { personAudit } from '../../../platform/audit/audit-log.ts';
import { rowOf, rowsOf, type Database } from '../../../platform/database/database.ts';
import { createListReader } from '../../../platform/lists/list-page.ts';
import type { ListSource } from '../../../platform/lists/list-source.ts';
import { implement } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { transferFiles, requireReceiver } from '../../attachments/files/removed-owner.ts';
import { findPeopleByEmail } from '../people-by-email.ts';
import { eraseByEmail, type ErasureDeps } from './erasure.ts';

type RemovedRow = { id: string; email: string; display_name: string; removed_at: Date; removed_by: string };
type PendingFiles = { former_owner_id: string; files: number; go_at: Date };

const removedList: ListSource<RemovedColumn> = {
  table: 'removed_people',
  columns: {
    email: { kind: 'text', searched: true, folded: true },
    displayName: { kind: 'text', searched: true, folded: true },
    removedAt: { kind: 'date' },
  },
  newestFirst: 'removed_at',
};

export function removedPeople(deps: ErasureDeps): Area {
  const { database } = deps;
  const list = createListReader<RemovedRow, typeof removedList>(database, removedList, deps.now).in('site');
  const routes = [
    implement(listRemovedPeople, async ({ query }) => {
      const { rows, total } = await list.page(query);
      const [pending, personByEmail] = await Promise.all([
        readPendingFiles(database, valuesOf(rows, 'id')),
        findPeopleByEmail(database, valuesOf(rows, 'removed_by')),
      ]);
      return {
        rows: rows.map((row) => ({
          ...toRemoved(row, pending.get(row.id)),
          remover: personByEmail(row.removed_by),
        })),
        total,
      };
    }),

    implement(handOverFiles, ({ params: { personId }, body: { to }, ...context }) =>
      database.transaction(async (transaction) => {
        const receiver = await requireReceiver(transaction, to, []);
        const previousOwner = await rowOf<{ email: string }>(transaction)`
          select owner_email as email from attachments where former_owner_id = ${personId} limit 1`;
        const transferred = await transferFiles(transaction, 'former_owner_id', [personId], receiver);
        const files = transferred.get(personId) ?? 0;
        const owner = previousOwner?.email ?? '';
        // Recorded for deleted files as well: the receiver owns them after a restore.
        if (transferred.size > 0)
          await personAudit.record(
            transaction,
            { id: personId, email: owner },
            'person.files_handed_over',
            context,
            { files, before: { owner }, after: { owner: receiver.email } },
          );
        return { files };
      }),
    ),

    implement(erasePerson, ({ body: { email }, ...context }) => eraseByEmail(deps, email, context)),
  ];
  return { routes };
}

async function readPendingFiles(database: Database, ids: string[]): Promise<Map<string, PendingFiles>> {
  const rows = await rowsOf<PendingFiles>(database)`
    select former_owner_id, count(*) as files, min(delete_at) as go_at from attachments
    where former_owner_id = any(${ids}) and delete_at is not null and deleted_at is null group by former_owner_id`;
  return new Map(rows.map((row) => [row.former_owner_id, row]));
}

const toRemoved = (row: RemovedRow, pending: PendingFiles | undefined): Omit<RemovedPerson, 'remover'> => ({
  id: row.id,
  email: row.email,
  displayName: row.display_name,
  removedAt: row.removed_at.toISOString(),
  removedBy: row.removed_by,
  files: pending?.files ?? 0,
  filesGoAt: pending?.go_at.toISOString() ?? null,
});
