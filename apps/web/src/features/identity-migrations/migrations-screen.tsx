/** `/layout/people/move`: starts and follows identity migrations, and removes previous identities (administrators only). */
import { t } from '@lingui/core/macro';
import { IconArrowsExchange } from '@tabler/icons-react';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  countMigrations,
  listMigrations,
  type IdentityMigration,
  type MigrationGroup,
} from '@vestibule/contract/identity-migrations';
import type { RouteResult } from '@vestibule/contract/route';
import { useMemo, useState, type ComponentProps } from 'react';
import { call } from '../../lib/call.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { bulkAction } from '../../ui/dialog/bulk-action-dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { DataGrid } from '../../ui/grid/grid.tsx';
import type { GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import { Page } from '../../ui/shell/page.tsx';
import { countOf, migratingPerson, migrationColumns, migrationStates } from './migration-columns.ts';
import { CloseDialog, migrationActions, SendDialog, type Candidate } from './migration-dialogs.tsx';
import './migrations.css';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface HistoryState {
    people?: Omit<SelectedRows<Candidate>, 'clear'>;
  }
}

const route = getRouteApi('/_signed-in/layout/people_/move');

type Counts = RouteResult<typeof countMigrations>;

const createSource = (
  methodId: string,
  onCount: (counts: Counts) => void,
): GridSource<IdentityMigration> => ({
  fetchPage: fetchPageFrom(listMigrations),
  within: [{ column: 'way', is: 'oneOf', values: [methodId] }],
  changesOf: 'moves',
  async countTabs(signal) {
    const counts = await call(countMigrations, { query: { way: methodId }, signal });
    onCount(counts);
    return Object.fromEntries(
      Object.entries(counts).flatMap(([group, count]) =>
        typeof count === 'number' ? [[group, { count, more: false }]] : [],
      ),
    );
  },
});

const tabs = (): Record<MigrationGroup, string> => {
  const { waiting, opened, moved, expired, undone } = migrationStates();
  return {
    waiting: waiting.label,
    opened: opened.label,
    expired: expired.label,
    moved: moved.label,
    undone: undone.label,
    failed: t`E-mail not delivered`,
  };
};

export function MigrationsScreen({ methods }: { methods: readonly SignInMethod[] }) {
  const { way: requestedId } = route.useSearch();
  const method = methods.find(({ id }) => id === requestedId) ?? methods[0];
  if (method) return <MigrationsToMethod method={method} methods={methods} />;
  return (
    <Page title={t`Move people`} description={<AllPeople />}>
      <EmptyState title={t`There is nowhere to move to`}>
        {t`Set up an OpenID Provider alongside the current sign-in method, then move people here.`}
      </EmptyState>
    </Page>
  );
}

function AllPeople() {
  return <Link to="/layout/people">{t`All people`}</Link>;
}

function MigrationsToMethod({ method, methods }: { method: SignInMethod; methods: readonly SignInMethod[] }) {
  const address = useListAddress();
  const navigate = route.useNavigate();
  const people = useLocation({ select: ({ state }) => state.people });
  const { dialog, open } = useDialog();
  const [counts, setCounts] = useState<Counts | null>(null);
  const [grid, setGrid] = useState<GridHandle | null>(null);
  const columns = useMemo(() => migrationColumns(), []);
  const source = useMemo(() => createSource(method.id, setCounts), [method.id]);
  const showMethod = (methodId: string) =>
    void navigate({ search: { way: methodId }, replace: true, state: true });
  const openPerson = ({ personId }: IdentityMigration) =>
    void navigate({ to: '/layout/people/$personId', params: { personId } });
  const onDone = (changedId: string) => (changedId === method.id ? grid?.refresh() : showMethod(changedId));
  const actions = migrationActions().map((action) => ({
    ...action,
    ...bulkAction(action, {
      open,
      onDone: () => onDone(method.id),
      names: { personOf: migratingPerson, countOf },
    }),
  }));
  const send = (to: ComponentProps<typeof SendDialog>['people'], onClose: () => void) => (
    <SendDialog methods={methods} method={method} people={to} onDone={onDone} onClose={onClose} />
  );

  return (
    <Page
      title={t`Move people`}
      description={<AllPeople />}
      fill
      actions={
        counts && (
          <>
            {counts.oldWays.length > 0 && (
              <Button
                onClick={() =>
                  open((onClose) => (
                    <CloseDialog
                      method={method}
                      previousMethods={counts.oldWays}
                      onDone={onDone}
                      onClose={onClose}
                    />
                  ))
                }
              >
                {t`Close the old method`}
              </Button>
            )}
            <Button
              variant="primary"
              aria-disabled={counts.lacking === 0}
              onClick={() => open((close) => send(counts.lacking, close))}
            >
              {counts.lacking > 0 ? t`Ask ${countOf(counts.lacking)}` : t`Everyone was asked`}
            </Button>
          </>
        )
      }
    >
      {methods.length > 1 && (
        <div className="moves-method">
          <SelectField
            label={t`Moving to`}
            options={methods.map(({ id, name }) => ({ value: id, label: name }))}
            value={method.id}
            onChange={(event) => showMethod(event.currentTarget.value)}
          />
        </div>
      )}
      <DataGrid
        key={method.id}
        ref={setGrid}
        label={t`Moves`}
        countOf={countOf}
        columns={columns}
        source={source}
        tabs={tabs()}
        address={address}
        onRowOpen={openPerson}
        rowActions={(migration) => [
          { label: t`Open`, onSelect: () => openPerson(migration) },
          ...actions
            .filter(({ isOffered }) => isOffered(migration))
            .map(({ label, danger, onSelect }) => ({
              label,
              danger,
              onSelect: () => onSelect(selectMigration(migration)),
            })),
        ]}
        bulkActions={actions}
        emptyState={
          <EmptyState
            icon={<IconArrowsExchange size={32} stroke={1.5} />}
            title={t`No one has been asked yet`}
          >
            {t`Ask everyone with the button above, or select people under People. Their progress appears here.`}
          </EmptyState>
        }
      />
      {dialog}
      {/* Sent by the list of people. A reload must not show the dialog again. */}
      {people && send(people, () => void navigate({ search: (previous) => previous, replace: true }))}
    </Page>
  );
}

const selectMigration = (migration: IdentityMigration): SelectedRows<IdentityMigration> => ({
  selection: { ids: [migration.id] },
  count: 1,
  rows: [migration],
  clear() {},
});
