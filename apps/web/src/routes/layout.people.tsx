/** `/layout/people`: who is inside (administrators only). */
import { IconUsers } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { listPeople, type Person } from '@vestibule/contract/people';
import { useRef, useState } from 'react';
import { personChanges, type PersonChange } from '../features/people/person-changes.ts';
import { describeFailure } from '../lib/call-failure.ts';
import { fetchPageFrom } from '../lib/fetch-page.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { GridColumn } from '../ui/grid-column.ts';
import { DataGrid, type GridHandle } from '../ui/grid.tsx';
import { loadGrid } from '../ui/load-grid.ts';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';

export const Route = createFileRoute('/layout/people')({
  staticData: { access: 'admin', menu: { label: 'People', order: 3, icon: IconUsers } },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: People,
});

const fetchPage = fetchPageFrom(listPeople);

const columns: GridColumn<Person>[] = [
  {
    id: 'displayName',
    title: 'Name',
    kind: 'text',
    text: ({ displayName }) => displayName,
    flex: 1.5,
    minWidth: 160,
  },
  {
    id: 'email',
    title: 'E-mail',
    kind: 'text',
    text: ({ email }) => email,
    flex: 1.5,
    minWidth: 180,
    narrow: 'detail',
  },
  {
    id: 'role',
    title: 'Role',
    kind: 'badge',
    badge: ({ role }) =>
      role === 'admin' ? { label: 'Administrator', tone: 'accent' } : { label: 'Member', tone: 'neutral' },
  },
  {
    id: 'status',
    title: 'Status',
    kind: 'badge',
    badge: ({ status }) =>
      status === 'active' ? { label: 'Active', tone: 'success' } : { label: 'Disabled', tone: 'danger' },
    narrow: 'hidden',
  },
  { id: 'joinedAt', title: 'Joined', kind: 'date-time', time: ({ joinedAt }) => joinedAt, minWidth: 160 },
  {
    id: 'lastSeenAt',
    title: 'Last seen',
    kind: 'date-time',
    time: ({ lastSeenAt }) => lastSeenAt,
    none: 'Never',
    minWidth: 160,
  },
];

function People() {
  const [asked, setAsked] = useState<{ change: PersonChange; person: Person } | null>(null);
  const grid = useRef<GridHandle>(null);

  const apply = async ({ change, person }: { change: PersonChange; person: Person }) => {
    try {
      await change.apply(person);
      toast.success(change.done(person));
    } catch (error) {
      const { message, reference } = describeFailure(error);
      toast.failure(message, { reference });
    }
    setAsked(null);
    grid.current?.refresh();
  };

  return (
    <Page title="People" fill>
      <DataGrid
        ref={grid}
        label="People"
        unit={['person', 'people']}
        describeFailure={describeFailure}
        columns={columns}
        rowId={({ id }) => id}
        fetchPage={fetchPage}
        rowActions={(person) =>
          personChanges
            .filter((change) => change.isOffered(person))
            .map((change) => ({
              label: change.label,
              danger: change.danger,
              onSelect: () => setAsked({ change, person }),
            }))
        }
        emptyState={
          <EmptyState icon={<IconUsers size={32} stroke={1.5} />} title="Nobody is inside yet">
            Invite somebody; they appear here once they have signed up.
          </EmptyState>
        }
      />
      {asked && (
        <ConfirmDialog
          title={`${asked.change.label}: ${asked.person.displayName}`}
          confirm={asked.change.label}
          danger={asked.change.danger}
          onClose={() => setAsked(null)}
          onConfirm={() => apply(asked)}
        >
          <p>
            {asked.change.consequence(asked.person)} ({asked.person.email})
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
