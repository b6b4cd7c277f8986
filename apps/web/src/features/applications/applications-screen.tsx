/** `/layout/applications`: applications whose users sign in at this site (administrators only). */
import { t } from '@lingui/core/macro';
import { IconApps } from '@tabler/icons-react';
import {
  deleteApplication,
  listApplications,
  type Application,
  checkApplication,
} from '@vestibule/contract/applications';
import { useMemo, useRef, useState } from 'react';
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
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import { ApplicationDialog } from './application-dialog.tsx';
import { countOf, describeAll, hostOf, setupStates, setupSteps } from './application-texts.ts';
import type { RouteResult } from '@vestibule/contract/route';
import { formatMessage } from '../../language/format-message.ts';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { useBusy } from '../../ui/use-busy.ts';

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

/** Checks the proxy of an application, and shows what it lacks. */
function SetupDialog({ application, onClose }: { application: Application; onClose: () => void }) {
  const [result, setResult] = useState<RouteResult<typeof checkApplication> | null>(null);
  const [check, isChecking] = useBusy(() =>
    runWithErrorToast(async () =>
      setResult(await call(checkApplication, { params: { applicationId: application.id } })),
    ),
  );
  return (
    <Dialog
      title={t`Set-up of ${application.name}`}
      onClose={onClose}
      actions={
        <>
          <Button variant={result ? 'secondary' : 'primary'} busy={isChecking} onClick={check}>
            {result ? t`Check again` : t`Check the set-up`}
          </Button>
          <CloseAction onClose={onClose} />
        </>
      }
    >
      <div className="stack">
        <p>
          {t`A reverse proxy in front of ${hostOf(application)} asks this site about each request. The guide “Protect an application” has examples for Caddy, nginx, Traefik and HAProxy. Change the proxy, then check.`}
        </p>
        <output>{result && summaryOf(result.steps.map(({ state }) => state))}</output>
        <RecordList
          entries={(result?.steps ?? []).map(({ step, state, message }) => ({
            id: step,
            text: setupSteps()[step],
            detail: message && formatMessage(message),
            badges: <StateBadge of={setupStates()[state]} />,
          }))}
        />
      </div>
    </Dialog>
  );
}

function summaryOf(states: readonly string[]): string {
  if (states.includes('failed')) return t`Something is missing.`;
  return states.includes('unknown') ? t`Not everything could be checked.` : t`Nothing is missing.`;
}
