/** `/layout/activity`: who did what to whom, when and from where (administrators only). */
import { IconHistory } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { listActivity, type Activity } from '@vestibule/contract/activity';
import { describeFailure } from '../lib/call-failure.ts';
import { fetchPageFrom } from '../lib/fetch-page.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import type { GridColumn } from '../ui/grid-column.ts';
import { DataGrid } from '../ui/grid.tsx';
import { loadGrid } from '../ui/load-grid.ts';
import { Page } from '../ui/page.tsx';

export const Route = createFileRoute('/layout/activity')({
  staticData: { access: 'admin', menu: { label: 'Activity', order: 4, icon: IconHistory } },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: ActivityScreen,
});

const fetchPage = fetchPageFrom(listActivity);

/** What happened, in words; an action that is not listed is shown as it is. */
const actions: Record<string, string> = {
  'invitation.created': 'Invited',
  'invitation.redeemed': 'Accepted the invitation',
  'invitation.refused': 'Was refused: invitation for another address',
  'invitation.revoked': 'Revoked the invitation',
  'invitation.link_copied': 'Copied the invitation link',
  'person.role_changed': 'Changed the role',
  'person.disabled': 'Disabled',
  'person.enabled': 'Enabled',
  'person.removed': 'Removed',
};

const columns: GridColumn<Activity>[] = [
  { id: 'at', title: 'When', kind: 'date-time', time: ({ at }) => at, minWidth: 215 },
  {
    id: 'actor',
    title: 'Who',
    kind: 'text',
    text: ({ actor }) => actor,
    sortable: false,
    minWidth: 180,
    narrow: 'detail',
  },
  {
    id: 'action',
    title: 'What',
    kind: 'text',
    text: ({ action }) => actions[action] ?? action,
    sortable: false,
    minWidth: 230,
    narrow: 'detail',
  },
  { id: 'target', title: 'Whom', kind: 'text', text: ({ target }) => target, sortable: false, minWidth: 180 },
  { id: 'address', title: 'From', kind: 'text', text: ({ address }) => address, sortable: false },
];

function ActivityScreen() {
  return (
    <Page title="Activity" fill>
      <DataGrid
        label="Activity"
        unit={['entry', 'entries']}
        describeFailure={describeFailure}
        columns={columns}
        rowId={({ id }) => String(id)}
        fetchPage={fetchPage}
        emptyState={
          <EmptyState icon={<IconHistory size={32} stroke={1.5} />} title="Nothing has happened yet">
            Every invitation and every change to a person will stand here.
          </EmptyState>
        }
      />
    </Page>
  );
}
