/** `/layout/people/move`: starts and follows identity migrations, and removes previous identities (administrators only). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconArrowsExchange } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  countMigrations,
  listMigrations,
  type IdentityMigration,
} from '@vestibule/contract/identity-migrations';
import type { RouteResult } from '@vestibule/contract/route';
import { useMemo, useRef, useState } from 'react';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { formatNumber } from '../../language/formats.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { DataGrid } from '../../ui/grid/grid.tsx';
import type { GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import type { GridAddress } from '../../ui/grid/rows/grid-address.ts';
import type { GridFilter } from '../../ui/grid/rows/grid-query.ts';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import { Page } from '../../ui/shell/page.tsx';
import { MigrationDialog, type OpenMigrationDialog } from './migration-dialogs.tsx';
import { migrationActions } from './migration-actions.ts';
import { migrationColumns } from './migration-columns.ts';
import { countOf, states } from './migration-texts.ts';
import type { Candidate } from './send-dialog.tsx';
import './migrations.css';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface HistoryState {
    people?: Omit<SelectedRows<Candidate>, 'clear'>;
  }
}

const route = getRouteApi('/_signed-in/layout/people_/move');
const fetchPage = fetchPageFrom(listMigrations);

const createSource = (methodId: string): GridSource<IdentityMigration> => ({
  fetchPage: ({ filters = [], ...query }, signal) =>
    fetchPage({ ...query, filters: [...filters, methodFilter(methodId)] }, signal),
  changesOf: 'moves',
});

const methodFilter = (methodId: string): GridFilter => ({ column: 'way', is: 'oneOf', values: [methodId] });

export function MigrationsScreen({ methods }: { methods: readonly SignInMethod[] }) {
  const { way: requestedId } = route.useSearch();
  const method = methods.find(({ id }) => id === requestedId) ?? methods[0];
  if (method) return <MigrationsToMethod method={method} methods={methods} />;
  return (
    <Page title={t`Move people`} description={<AllPeople />}>
      <EmptyState title={t`There is nowhere to move to`}>
        {t`Set up an OpenID Provider alongside the current way to sign in, then move people here.`}
      </EmptyState>
    </Page>
  );
}

function AllPeople() {
  return <Link to="/layout/people">{t`All people`}</Link>;
}

function MigrationsToMethod({ method, methods }: { method: SignInMethod; methods: readonly SignInMethod[] }) {
  const address = route.useSearch();
  const { filters = [] } = address;
  const navigate = route.useNavigate();
  const people = useLocation({ select: ({ state }) => state.people });
  const [dialog, setDialog] = useState<OpenMigrationDialog | null>(people ? { kind: 'send', people } : null);
  const grid = useRef<GridHandle>(null);
  const columns = useMemo(() => migrationColumns(), []);
  const source = useMemo(() => createSource(method.id), [method.id]);
  const counts = useApiQuery(countMigrations, {
    key: ['moves', 'counts', method.id],
    query: { way: method.id },
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
    changesOf: 'moves',
  });
  const refresh = (changedId: string) => {
    if (changedId !== method.id) return void navigate({ search: { way: changedId }, replace: true });
    grid.current?.refresh();
    void counts.refetch();
    return undefined;
  };

  const close = () => {
    setDialog(null);
    // A reload must not show the dialog again.
    if (people) void navigate({ search: (previous) => previous, replace: true });
  };

  const changeAddress = (next: GridAddress) =>
    void navigate({ search: (previous) => ({ ...previous, ...next }), replace: true });
  const openPerson = ({ personId }: IdentityMigration) =>
    void navigate({ to: '/layout/people/$personId', params: { personId } });
  const { lacking = 0, oldWays: previousMethods = [] } = counts.data ?? {};

  return (
    <Page
      title={t`Move people`}
      description={<AllPeople />}
      fill
      actions={
        <>
          {previousMethods.length > 0 && (
            <Button
              onClick={() => setDialog({ kind: 'close', previousMethods, moved: counts.data?.moved ?? 0 })}
            >
              {t`Close the old way`}
            </Button>
          )}
          <Button
            variant="primary"
            aria-disabled={lacking === 0}
            onClick={() => setDialog({ kind: 'send', people: lacking })}
          >
            {lacking > 0 ? t`Ask ${countOf(lacking)}` : t`Everyone was asked`}
          </Button>
        </>
      }
    >
      <div className="moves-counts">
        {methods.length > 1 && (
          <SelectField
            label={t`Moving to`}
            options={methods.map(({ id, name }) => ({ value: id, label: name }))}
            value={method.id}
            onChange={(event) => void navigate({ search: { way: event.currentTarget.value }, replace: true })}
          />
        )}
        {counts.data && (
          <Counts
            counts={counts.data}
            filters={filters}
            onShow={(next) => changeAddress({ filters: [...next] })}
          />
        )}
      </div>
      {counts.error && <Loading query={counts} title={t`The progress could not be loaded`} lines={1} />}
      <DataGrid
        key={method.id}
        ref={grid}
        label={t`Moves`}
        countOf={countOf}
        columns={columns}
        source={source}
        address={{ current: address, onChange: changeAddress }}
        onRowOpen={openPerson}
        rowActions={(migration) => [
          { label: t`Open`, onSelect: () => openPerson(migration) },
          ...migrationActions()
            .filter((action) => action.isOffered(migration))
            .map((action) => ({
              label: action.label,
              danger: action.danger,
              onSelect: () => setDialog({ kind: 'change', action, selected: selectMigration(migration) }),
            })),
        ]}
        bulkActions={migrationActions().map((action) => ({
          label: action.label,
          danger: action.danger,
          onSelect: (selected: SelectedRows<IdentityMigration>) =>
            setDialog({ kind: 'change', action, selected }),
        }))}
        emptyState={
          <EmptyState
            icon={<IconArrowsExchange size={32} stroke={1.5} />}
            title={t`No one has been asked yet`}
          >
            <Trans>
              Ask everyone with the button above, or select people under People. Their progress appears here.
            </Trans>
          </EmptyState>
        }
      />
      {dialog && (
        <MigrationDialog method={method} methods={methods} dialog={dialog} onDone={refresh} onClose={close} />
      )}
    </Page>
  );
}

function selectMigration(migration: IdentityMigration): SelectedRows<IdentityMigration> {
  return { selection: { ids: [migration.id] }, count: 1, rows: [migration], clear() {} };
}

/** Number of migrations by state; each button filters the list. */
function Counts({
  counts,
  filters,
  onShow,
}: {
  counts: RouteResult<typeof countMigrations>;
  filters: readonly GridFilter[];
  onShow: (filters: readonly GridFilter[]) => void;
}) {
  const stateFilters: { label: string; count: number; filter: GridFilter }[] = Object.entries(states()).map(
    ([state, { label }]) => ({
      label,
      count: counts[state as IdentityMigration['state']],
      filter: { column: 'state', is: 'oneOf', values: [state] },
    }),
  );
  if (counts.failed > 0)
    stateFilters.push({
      label: t`E-mail not delivered`,
      count: counts.failed,
      filter: { column: 'mail', is: 'oneOf', values: ['failed'] },
    });
  return (
    <>
      {stateFilters.map(({ label, count, filter }) => {
        const isShown = JSON.stringify(filters) === JSON.stringify([filter]);
        return (
          <Button
            key={label}
            size="small"
            aria-pressed={isShown}
            onClick={() => onShow(isShown ? [] : [filter])}
          >
            {label} <strong>{formatNumber(count)}</strong>
          </Button>
        );
      })}
    </>
  );
}
