/** `/layout/activity`: who did what to whom, when and from where, and whether that is still true (administrators only). */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconHistory } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { listActivity, type Activity, type ActivityColumn } from '@vestibule/contract/activity';
import { useMemo, useState } from 'react';
import { actions, actionWords, targetWords } from './activity-words.ts';
import EntryDialog from './entry-dialog.tsx';
import { VerifyDialog } from './verify-dialog.tsx';
import { fetchPageFrom } from '../../lib/fetch-page.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { columnsByName } from '../../ui/grid/columns/columns-by-name.ts';
import { valuesOf } from '../../ui/grid/columns/grid-column.ts';
import { knownFilters } from '../../ui/grid/rows/grid-query.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';

const route = getRouteApi('/_signed-in/layout/activity');

const source = {
  name: 'activity',
  fetchPage: fetchPageFrom(listActivity),
  exportPath: '/api/activity/export',
  changesOf: 'activity',
};

const columns = () =>
  columnsByName<Activity, ActivityColumn>({
    at: {
      title: t`When`,
      kind: 'date-time',
      time: ({ at }) => at,
      filter: { kind: 'date' },
      minWidth: 215,
    },
    actor: {
      title: t`Who`,
      kind: 'text',
      text: ({ actor, tokenName }) => (tokenName ? t`${actor} (token “${tokenName}”)` : actor),
      filter: { kind: 'text' },
      sortable: false,
      minWidth: 180,
      narrow: 'detail',
    },
    action: {
      title: t`What`,
      kind: 'text',
      text: ({ action }) => actionWords(action),
      filter: { kind: 'set', values: valuesOf(actions()) },
      sortable: false,
      minWidth: 230,
      narrow: 'detail',
    },
    target: {
      title: t`Affected`,
      kind: 'text',
      text: targetWords,
      filter: { kind: 'text' },
      sortable: false,
      minWidth: 180,
    },
    address: {
      title: t`From`,
      kind: 'text',
      text: ({ address }) => address,
      filter: { kind: 'text' },
      sortable: false,
    },
  });

export function ActivityScreen() {
  const [entry, setEntry] = useState<Activity | null>(null);
  const [verifying, setVerifying] = useState(false);
  const navigate = route.useNavigate();
  const { filters = [] } = route.useSearch();
  const shownColumns = useMemo(() => columns(), []);
  return (
    <Page
      title={t`Activity`}
      fill
      actions={
        <Button onClick={() => setVerifying(true)}>
          <Trans>Verify the log</Trans>
        </Button>
      }
    >
      <DataGrid
        label={t`Activity`}
        countOf={(count) => plural(count, { one: '# entry', other: '# entries' })}
        columns={shownColumns}
        source={source}
        filters={knownFilters(shownColumns, filters)}
        onFiltersChange={(next) =>
          void navigate({ search: next.length > 0 ? { filters: [...next] } : {}, replace: true })
        }
        onRowOpen={setEntry}
        rowActions={(row) => [{ label: t`Details`, onSelect: () => setEntry(row) }]}
        emptyState={
          <EmptyState icon={<IconHistory size={32} stroke={1.5} />} title={t`Nothing has happened yet`}>
            <Trans>Every invitation and every change to a person will appear here.</Trans>
          </EmptyState>
        }
      />
      {entry && <EntryDialog entry={entry} onClose={() => setEntry(null)} />}
      {verifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </Page>
  );
}
