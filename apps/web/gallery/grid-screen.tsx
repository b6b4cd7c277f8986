import { IconUserOff, IconUsers } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { formatNumber } from '../src/language/formats.ts';
import { Button } from '../src/ui/button.tsx';
import { ConfirmDialog } from '../src/ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../src/ui/states.tsx';
import { columnsByName, valuesOf, type GridColumn } from '../src/ui/grid/grid-column.ts';
import type { SelectedRows } from '../src/ui/grid/grid-selection.ts';
import { GridServerContext } from '../src/ui/grid/grid-server.ts';
import type { GridHandle } from '../src/ui/grid/grid-props.ts';
import { DataGrid } from '../src/ui/grid/grid.tsx';
import { Page } from '../src/ui/shell/page.tsx';
import { toast } from '../src/ui/toast/toast.tsx';
import { disable, fetchFakePeople, fakeGridServer, fakeServer, type FakePerson } from './fake-people.ts';

type Column = Exclude<keyof FakePerson, 'id' | 'active'> | 'status';

const columns = columnsByName<FakePerson, Column>({
  name: { title: 'Name', kind: 'text', filter: { kind: 'text' }, flex: 1.5, minWidth: 160 },
  email: { title: 'E-mail', kind: 'text', filter: { kind: 'text' }, flex: 1.5, narrow: 'detail' },
  role: {
    title: 'Role',
    kind: 'badge',
    badge: ({ role }) => ({ label: role, tone: role === 'Member' ? 'neutral' : 'accent' }),
    filter: { kind: 'set', values: valuesOf({ Member: 'Member', Administrator: 'Administrator' }) },
    narrow: 'hidden',
  },
  status: {
    title: 'Status',
    kind: 'badge',
    badge: ({ active }) =>
      active ? { label: 'Active', tone: 'success' } : { label: 'Disabled', tone: 'danger' },
    filter: { kind: 'set', values: valuesOf({ active: 'Active', disabled: 'Disabled' }) },
  },
  joinedAt: { title: 'Joined', kind: 'date-time', filter: { kind: 'date' } },
  lastSeenAt: {
    title: 'Last seen',
    kind: 'date-time',
    filter: { kind: 'date', optional: true },
    none: 'Never',
  },
  signIns: { title: 'Sign-ins', kind: 'number', filter: { kind: 'number' }, hidden: true },
  leavesOn: {
    title: 'Last day',
    kind: 'day',
    filter: { kind: 'date', optional: true, ahead: true },
    hidden: true,
  },
});

/** `?cells=people` shows name and address in one cell, as in the application. Some addresses are long, some begin with a digit. */
const withPeople: GridColumn<FakePerson>[] = columns.flatMap((column) => {
  if (column.id === 'name')
    return {
      ...column,
      kind: 'person',
      text: ({ name }) => name,
      person: ({ id, name, email }) => ({
        id,
        name,
        email: email.endsWith('1@example.com')
          ? email.replace('@', '.of.the.northern.branch@international-shipping-and-logistics.')
          : email.endsWith('2@example.com')
            ? email.replace('person', '')
            : email,
      }),
      shows: 'email',
      minWidth: 290,
    };
  return column.id === 'email' ? { ...column, hidden: true, narrow: 'hidden' } : column;
});
const options = new URLSearchParams(location.search);
const columnsOfCells = options.get('cells') === 'people' ? withPeople : columns;
/** `?columns=nine` shows all columns, and times again. */
const shownColumns =
  options.get('columns') === 'nine'
    ? [
        ...columnsOfCells.map((column) => ({ ...column, hidden: false })),
        ...columns
          .filter(({ kind }) => kind === 'date-time')
          .map((column) => ({ ...column, id: `${column.id}Again` })),
      ]
    : columnsOfCells;

const disableIcon = <IconUserOff size={18} />;
const server = fakeGridServer(columns);
const source = {
  name: 'people',
  fetchPage: fetchFakePeople,
  exportPath: '/api/people/export',
  changesOf: 'people',
};

const areDisabled = (count: number) => (count === 1 ? '1 is disabled' : `${count} are disabled`);

export function GridScreen() {
  const grid = useRef<GridHandle>(null);
  const [asked, setAsked] = useState<FakePerson | null>(null);
  const [opened, setOpened] = useState('none');
  Object.assign(window, { fakeServer });

  const actions = (person: FakePerson) => [
    { label: 'Greet', onSelect: () => toast.success(`Hello ${person.name}`) },
    { label: 'Disable', danger: true, icon: disableIcon, onSelect: () => setAsked(person) },
  ];
  const bulkActions = [
    {
      label: 'Greet them',
      onSelect: ({ count, selection }: SelectedRows<FakePerson>) =>
        toast.success(`Hello ${count}: ${JSON.stringify(selection)}`),
    },
    {
      label: 'Disable them',
      danger: true,
      skipReason: ({ active }: FakePerson) => (active ? null : areDisabled),
      onSelect: async ({ rows, clear }: SelectedRows<FakePerson>) => {
        await disable(rows);
        clear();
        grid.current?.refresh();
      },
    },
  ];
  return (
    <GridServerContext value={server}>
      <Page title="People" description={`Opened: ${opened}`} fill actions={<Button>Invite someone</Button>}>
        <DataGrid
          ref={grid}
          label="People"
          countOf={(count) => `${formatNumber(count)} ${count === 1 ? 'person' : 'people'}`}
          source={source}
          columns={shownColumns}
          bulkActions={bulkActions}
          onRowOpen={({ name }) => setOpened(name)}
          rowActions={actions}
          emptyState={
            <EmptyState icon={<IconUsers size={26} stroke={1.5} />} title="No people yet">
              Invited people appear here once they have signed up.
            </EmptyState>
          }
        />
        {asked && (
          <ConfirmDialog
            title={`Disable ${asked.name}`}
            confirm="Disable"
            danger
            onClose={() => setAsked(null)}
            onConfirm={async () => {
              await disable([asked]);
              setAsked(null);
              grid.current?.refresh();
            }}
          >
            <p>Their next request is refused.</p>
          </ConfirmDialog>
        )}
      </Page>
    </GridServerContext>
  );
}
