/** `/layout/activity`: who did what to whom, when and from where, and whether that is still true (administrators only). */
import { IconHistory } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { listActivity, type Activity } from '@vestibule/contract/activity';
import { useState } from 'react';
import { actions, actionWords } from '../features/activity/activity-words.ts';
import { EntryDialog } from '../features/activity/entry-dialog.tsx';
import { VerifyDialog } from '../features/activity/verify-dialog.tsx';
import { describeFailure } from '../lib/call-failure.ts';
import { fetchPageFrom } from '../lib/fetch-page.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { GridColumn } from '../ui/grid-column.ts';
import { DataGrid } from '../ui/grid.tsx';
import { loadGrid } from '../ui/load-grid.ts';
import { Page } from '../ui/page.tsx';

export const Route = createFileRoute('/layout/activity')({
  staticData: {
    exportAs: '/api/activity/export',
    access: 'admin',
    menu: { label: 'Activity', order: 4, icon: IconHistory },
  },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: ActivityScreen,
});

const fetchPage = fetchPageFrom(listActivity);

const columns: GridColumn<Activity>[] = [
  {
    id: 'at',
    title: 'When',
    kind: 'date-time',
    time: ({ at }) => at,
    filter: { kind: 'date' },
    minWidth: 215,
  },
  {
    id: 'actor',
    title: 'Who',
    kind: 'text',
    text: ({ actor, tokenName }) => (tokenName ? `${actor} (token “${tokenName}”)` : actor),
    filter: { kind: 'text' },
    sortable: false,
    minWidth: 180,
    narrow: 'detail',
  },
  {
    id: 'action',
    title: 'What',
    kind: 'text',
    text: ({ action }) => actionWords(action),
    filter: {
      kind: 'set',
      values: Object.entries(actions).map(([value, label]) => ({ value, label })),
    },
    sortable: false,
    minWidth: 230,
    narrow: 'detail',
  },
  {
    id: 'target',
    title: 'Whom',
    kind: 'text',
    text: ({ target }) => target,
    filter: { kind: 'text' },
    sortable: false,
    minWidth: 180,
  },
  {
    id: 'address',
    title: 'From',
    kind: 'text',
    text: ({ address }) => address,
    filter: { kind: 'text' },
    sortable: false,
  },
];

function ActivityScreen() {
  const [entry, setEntry] = useState<Activity | null>(null);
  const [verifying, setVerifying] = useState(false);
  return (
    <Page title="Activity" fill actions={<Button onClick={() => setVerifying(true)}>Verify the log</Button>}>
      <DataGrid
        label="Activity"
        unit={['entry', 'entries']}
        describeFailure={describeFailure}
        columns={columns}
        rowId={({ id }) => String(id)}
        fetchPage={fetchPage}
        gridName="activity"
        exportAs="/api/activity/export"
        changesOf="activity"
        onRowOpen={setEntry}
        rowActions={(row) => [{ label: 'Details', onSelect: () => setEntry(row) }]}
        emptyState={
          <EmptyState icon={<IconHistory size={32} stroke={1.5} />} title="Nothing has happened yet">
            Every invitation and every change to a person will stand here.
          </EmptyState>
        }
      />
      {entry && <EntryDialog entry={entry} onClose={() => setEntry(null)} />}
      {verifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </Page>
  );
}
