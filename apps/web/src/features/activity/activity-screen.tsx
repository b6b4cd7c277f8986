/** `/layout/activity`: the audit log (administrators only). */
import { plural, t } from '@lingui/core/macro';
import { IconHistory } from '@tabler/icons-react';
import {
  exportOrganizationActivity,
  listActivity,
  listOrganizationActivity,
  type Activity,
  type ActivityColumn,
} from '@vestibule/contract/activity';
import { useMemo, useState } from 'react';
import { actions, actionLabel, actorOf, affectedBy, entrySentence, targetLabel } from './activity-texts.ts';
import EntryDialog from './entry-dialog.tsx';
import { VerifyDialog } from './verify-dialog.tsx';
import { routeOf } from '../../lib/active-organization.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';

const siteSource = {
  name: 'activity',
  fetchPage: fetchPageFrom(listActivity),
  exportPath: '/api/activity/export',
  changesOf: 'activity',
};

/** The log of an organization has no network addresses, so its entries lack the field of the column that is not shown. */
const organizationSource = (organizationId: string) => ({
  name: 'activity',
  fetchPage: fetchPageFrom(
    routeOf(listOrganizationActivity, { organizationId }) as unknown as typeof listActivity,
  ),
  exportPath: routeOf(exportOrganizationActivity, { organizationId }).path,
});

const columns = () =>
  columnsByName<Activity, ActivityColumn>({
    at: { title: t`When`, kind: 'date-time', filter: { kind: 'date' }, narrow: 'detail' },
    actor: {
      title: t`Who`,
      kind: 'person',
      text: ({ actor, tokenName }) => (tokenName ? t`${actor} (token “${tokenName}”)` : actor),
      person: actorOf,
      filter: { kind: 'text' },
      sortable: false,
      flex: 2,
      minWidth: 216,
      narrow: 'detail',
    },
    action: {
      title: t`What`,
      kind: 'text',
      text: ({ action }) => actionLabel(action),
      filter: { kind: 'set', values: valuesOf(actions()) },
      sortable: false,
      flex: 1.5,
      minWidth: 200,
      narrow: 'title',
      narrowText: (entry) => entrySentence(entry, entry.target),
    },
    target: {
      title: t`Affected`,
      kind: 'person',
      text: targetLabel,
      person: affectedBy,
      filter: { kind: 'text' },
      sortable: false,
      flex: 2,
      minWidth: 208,
      narrow: 'subtitle',
    },
    address: { title: t`From`, kind: 'text', filter: { kind: 'text' }, sortable: false, minWidth: 136 },
  });

/** The log of the site, or the part of it about an organization. */
export function ActivityScreen({ organizationId }: { organizationId?: string }) {
  const address = useListAddress();
  const [entry, setEntry] = useState<Activity | null>(null);
  const [verifying, setVerifying] = useState(false);
  const isOfSite = organizationId === undefined;
  const shownColumns = useMemo(() => columns().filter(({ id }) => isOfSite || id !== 'address'), [isOfSite]);
  const source = useMemo(
    () => (organizationId === undefined ? siteSource : organizationSource(organizationId)),
    [organizationId],
  );
  return (
    <Page
      title={t`Activity`}
      fill
      actions={isOfSite && <Button onClick={() => setVerifying(true)}>{t`Verify the log`}</Button>}
    >
      <DataGrid
        key={organizationId}
        label={t`Activity`}
        countOf={(count) => plural(count, { one: '# entry', other: '# entries' })}
        columns={shownColumns}
        source={source}
        address={address}
        onRowOpen={setEntry}
        rowActions={(row) => [{ label: t`Details`, onSelect: () => setEntry(row) }]}
        emptyState={
          <EmptyState icon={<IconHistory size={32} stroke={1.5} />} title={t`Nothing has happened yet`}>
            {t`Every invitation and every change to a person will appear here.`}
          </EmptyState>
        }
      />
      {entry && <EntryDialog entry={entry} onClose={() => setEntry(null)} />}
      {verifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </Page>
  );
}
