/** `/layout/applications`: applications whose users sign in at this site (administrators only). */
import { t } from '@lingui/core/macro';
import { IconApps } from '@tabler/icons-react';
import { deleteApplication, listApplications, type Application } from '@vestibule/contract/applications';
import { useMemo, useRef } from 'react';
import { call } from '../../lib/call.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { matchesWords } from '../../lib/matches-words.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { columnsByName } from '../../ui/grid/grid-column.ts';
import type { FetchPage } from '../../ui/grid/grid-pages.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { ApplicationDialog } from './application-dialog.tsx';
import { countOf, describeAll } from './application-texts.ts';
import { SetupDialog } from './setup-dialog.tsx';

/** Icon of Tabler (`apps`). */
const iconPath = 'M4 4h6v6h-6zM14 14h6v6h-6zM4 14h6v6h-6zM14 7h6M17 4v6';

const columns = () =>
  columnsByName<Application, 'name' | 'address' | 'access' | 'createdAt' | 'createdBy'>({
    name: {
      title: t`Name`,
      kind: 'text',
      icon: () => iconPath,
      picture: ({ iconUrl }) => (iconUrl === null ? null : { cachedUrl: iconUrl, load: async () => iconUrl }),
      flex: 2,
    },
    address: { title: t`Address`, kind: 'text', flex: 2, narrow: 'subtitle' },
    access: {
      title: t`Who may use it`,
      kind: 'text',
      text: ({ access }) => describeAll(access),
      flex: 2,
      narrow: 'detail',
      sortable: false,
    },
    createdAt: { title: t`Created`, kind: 'date-time' },
    createdBy: { title: t`Created by`, kind: 'text', hidden: true },
  });

/** Searches and sorts in the browser: the site has few applications. */
const fetchPage: FetchPage<Application> = async ({ offset, limit, search = '', sort }, signal) => {
  const { rows } = await call(listApplications, { signal });
  const found = rows.filter(({ name, address }) => matchesWords(search, `${name} ${address}`));
  if (sort) {
    const text = (row: Application) => row[sort.column as 'name' | 'address' | 'createdAt'];
    const factor = sort.direction === 'desc' ? -1 : 1;
    found.sort((one, other) => factor * text(one).localeCompare(text(other)));
  }
  return { rows: found.slice(offset, offset + limit), total: found.length };
};

export function ApplicationsScreen({ hasOrganizations }: { hasOrganizations: boolean }) {
  const address = useListAddress();
  const { dialog, open, ask } = useDialog();
  const grid = useRef<GridHandle>(null);
  const shownColumns = useMemo(() => columns(), []);
  const source = useMemo(() => ({ fetchPage }), []);
  const refresh = () => grid.current?.refresh();
  const setUp = (application: Application) =>
    open((close) => <SetupDialog application={application} onClose={close} />);
  const edit = (application: Application | null) =>
    open((close) => (
      <ApplicationDialog
        application={application}
        hasOrganizations={hasOrganizations}
        onSaved={refresh}
        onCreated={setUp}
        onClose={close}
      />
    ));
  const remove = ({ id, name }: Application) =>
    ask({
      title: t`Remove ${name}?`,
      confirm: t`Remove application`,
      danger: true,
      text: t`From the next request on, no user can open it. The application and its data are not changed.`,
      async act() {
        await call(deleteApplication, { params: { applicationId: id } });
        toast.success(t`${name} has been removed.`);
        refresh();
      },
    });

  return (
    <Page
      title={t`Applications`}
      fill
      actions={<Button variant="primary" onClick={() => edit(null)}>{t`New application`}</Button>}
    >
      <DataGrid
        ref={grid}
        label={t`Applications`}
        countOf={countOf}
        columns={shownColumns}
        source={source}
        address={address}
        onRowOpen={edit}
        rowActions={(application) => [
          { label: t`Change`, onSelect: () => edit(application) },
          { label: t`Check the set-up`, onSelect: () => setUp(application) },
          { label: t`Remove`, danger: true, onSelect: () => remove(application) },
        ]}
        emptyState={
          <EmptyState icon={<IconApps size={32} stroke={1.5} />} title={t`No applications yet`}>
            {t`Add a wiki, a calendar or another web application. Its users sign in here, and you choose who may use it.`}
          </EmptyState>
        }
      />
      {dialog}
    </Page>
  );
}
