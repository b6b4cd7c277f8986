import { IconUserOff, IconUsers } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { Button } from '../src/ui/button.tsx';
import { ConfirmDialog } from '../src/ui/confirm-dialog.tsx';
import { EmptyState } from '../src/ui/empty-state.tsx';
import type { GridColumn } from '../src/ui/grid-column.ts';
import { DataGrid, type GridHandle } from '../src/ui/grid.tsx';
import { Page } from '../src/ui/page.tsx';
import { toast } from '../src/ui/toast.tsx';
import { disable, fetchInventedPeople, inventedServer, type InventedPerson } from './invented-people.ts';

const columns: GridColumn<InventedPerson>[] = [
  { id: 'name', title: 'Name', kind: 'text', text: ({ name }) => name, flex: 1.5, minWidth: 160 },
  { id: 'email', title: 'E-mail', kind: 'text', text: ({ email }) => email, flex: 1.5, narrow: 'detail' },
  {
    id: 'role',
    title: 'Role',
    kind: 'badge',
    badge: ({ role }) => ({ label: role, tone: role === 'Member' ? 'neutral' : 'accent' }),
    narrow: 'hidden',
  },
  {
    id: 'status',
    title: 'Status',
    kind: 'badge',
    badge: ({ active }) =>
      active ? { label: 'Active', tone: 'success' } : { label: 'Disabled', tone: 'danger' },
  },
  { id: 'joinedAt', title: 'Joined', kind: 'date-time', time: ({ joinedAt }) => joinedAt },
  {
    id: 'lastSeenAt',
    title: 'Last seen',
    kind: 'date-time',
    time: ({ lastSeenAt }) => lastSeenAt,
    none: 'Never',
  },
];

const disableIcon = <IconUserOff size={18} />;

/** A grid of a million people. */
export function GridScreen() {
  const grid = useRef<GridHandle>(null);
  const [asked, setAsked] = useState<InventedPerson | null>(null);
  const [opened, setOpened] = useState('nobody');
  Object.assign(window, { inventedServer });

  const actions = (person: InventedPerson) => [
    { label: 'Greet', onSelect: () => toast.success(`Hello ${person.name}`) },
    { label: 'Disable', danger: true, icon: disableIcon, onSelect: () => setAsked(person) },
  ];
  return (
    <Page title="People" description={`Opened: ${opened}`} fill actions={<Button>Invite somebody</Button>}>
      <DataGrid
        ref={grid}
        label="People"
        unit={['person', 'people']}
        columns={columns}
        fetchPage={fetchInventedPeople}
        rowId={({ id }) => id}
        onRowOpen={({ name }) => setOpened(name)}
        rowActions={actions}
        emptyState={
          <EmptyState icon={<IconUsers size={26} stroke={1.5} />} title="Nobody is inside yet">
            Invite somebody; they appear here once they have signed up.
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
            await disable(asked);
            setAsked(null);
            grid.current?.refresh();
          }}
        >
          <p>Their next request is refused.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
