/** Private views are visible to their owner only; shared views to all administrators, and their changes are logged. */
import {
  changeView,
  createView,
  deleteView,
  getGrid,
  saveGridState,
  viewErrors,
  type Grid,
  type View,
} from '@vestibule/contract/views';
import type { Area } from '../../platform/area.ts';
import { auditOf } from '../../platform/audit/audit-log.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  type CoreDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { fail, onUniqueViolation } from '../../platform/errors/failure.ts';
import { implement, type Caller } from '../../platform/http/implement.ts';

type ViewRow = {
  id: string;
  grid: Grid;
  name: string;
  shared: boolean;
  owner_id: string;
  owner_label: string;
  state: string;
  updated_at: Date;
};

const columns = 'id, grid, name, shared, owner_id, owner_label, state, updated_at';
const maxViewsPerGrid = 100;

export function views(deps: CoreDeps): Area {
  const { database, newId } = deps;
  const at = () => new Date(deps.now());

  const routes = [
    implement(getGrid, async ({ params, caller }) => {
      const [savedState, found] = await Promise.all([
        scalarOf<string>(database)`
          select state from grid_states where person_id = ${caller.id} and grid = ${params.grid}`,
        rowsOf<ViewRow>(database)`
          select ${rawSql(columns)} from grid_views
          where grid = ${params.grid} and ${rawSql(visibleCondition, caller.id, caller.isAdmin)}
          order by lower(name) collate alphabetical, id`,
      ]);
      return {
        state: savedState === null ? null : parseState(savedState),
        views: found.map((row) => toView(row, caller)),
        mayShare: caller.isAdmin,
      };
    }),

    implement(saveGridState, async ({ params, body, caller }) => {
      await execute(database, { name: 'save-grid-state' })`
        insert into grid_states (person_id, grid, state)
          values (${caller.id}, ${params.grid}, ${JSON.stringify(body.state)})
        on conflict (person_id, grid) do update set state = excluded.state`;
      return { grid: params.grid };
    }),

    implement(createView, ({ params, body, caller, origin }) =>
      database
        .transaction(async (transaction) => {
          if (body.shared) requireSharing(caller);
          const row = await rowOf<ViewRow>(transaction)`
            insert into grid_views (id, grid, name, shared, owner_id, owner_label, state, updated_at)
            select ${newId()}, ${params.grid}, ${body.name}, ${body.shared}, ${caller.id}, ${caller.email},
              ${JSON.stringify(body.state)}, ${at()}
            where (select count(*) from grid_views where owner_id = ${caller.id}
              and grid = ${params.grid}) < ${rawSql(maxViewsPerGrid)}
            returning ${rawSql(columns)}`;
          if (!row) throw fail(viewErrors.tooMany);
          const { grid } = row;
          if (row.shared)
            await viewAudit.record(transaction, row, 'view.shared', { caller, origin }, { grid });
          return toView(row, caller);
        })
        .catch(rejectTakenName),
    ),

    implement(changeView, ({ params, body, caller, origin }) =>
      database
        .transaction(async (transaction) => {
          const before = await lockView(transaction, params, caller);
          if (before.shared || body.shared) requireSharing(caller);
          if (before.shared && body.shared === false && before.owner_id !== caller.id)
            throw fail(viewErrors.notYours);
          const { name = before.name, shared = before.shared } = body;
          const state = body.state ? JSON.stringify(body.state) : before.state;
          const after = await rowOf<ViewRow>(transaction)`
            update grid_views set name = ${name}, shared = ${shared}, state = ${state}, updated_at = ${at()}
            where id = ${before.id}
              and (name, shared, state) is distinct from (${name}::text, ${shared}::boolean, ${state}::text)
            returning ${rawSql(columns)}`;
          if (!after) return toView(before, caller);
          const detail = { grid: after.grid, before: { name: before.name }, after: { name: after.name } };
          const record = (action: string) =>
            viewAudit.record(transaction, after, action, { caller, origin }, detail);
          if (before.shared) await record(after.shared ? 'view.changed' : 'view.unshared');
          else if (after.shared) await record('view.shared');
          return toView(after, caller);
        })
        .catch(rejectTakenName),
    ),

    implement(deleteView, ({ params, caller, origin }) =>
      database.transaction(async (transaction) => {
        const row = await lockView(transaction, params, caller);
        if (row.shared) requireSharing(caller);
        await execute(transaction)`delete from grid_views where id = ${row.id}`;
        const { grid } = row;
        if (row.shared)
          await viewAudit.record(transaction, row, 'view.deleted', { caller, origin }, { grid });
        return { id: row.id };
      }),
    ),
  ];
  return { routes };
}

/** SQL condition for visible views. A former administrator still sees own shared views, since their names are taken. */
const visibleCondition = (person: string, isAdmin: string) =>
  `(owner_id = ${person} or (shared and ${isAdmin}))`;

function requireSharing(caller: Caller): void {
  if (!caller.isAdmin) throw fail(viewErrors.adminsShare);
}

/** Locks a view until the transaction ends. Throws `notFound` unless the caller can see it. */
async function lockView(
  transaction: Queryable,
  { grid, viewId }: { grid: Grid; viewId: string },
  caller: Caller,
): Promise<ViewRow> {
  const view = await rowOf<ViewRow>(transaction)`
    select ${rawSql(columns)} from grid_views where id = ${viewId} and grid = ${grid}
      and ${rawSql(visibleCondition, caller.id, caller.isAdmin)} for update`;
  if (!view) throw fail(viewErrors.notFound);
  return view;
}

const rejectTakenName = onUniqueViolation('grid_views_name', viewErrors.nameTaken);

const viewAudit = auditOf('view', 'name');

const toView = (row: ViewRow, caller: Caller): View => ({
  id: row.id,
  grid: row.grid,
  name: row.name,
  shared: row.shared,
  own: row.owner_id === caller.id,
  owner: row.owner_label,
  state: parseState(row.state),
  updatedAt: row.updated_at.toISOString(),
});

const parseState = (state: string) => JSON.parse(state) as Record<string, unknown>;
