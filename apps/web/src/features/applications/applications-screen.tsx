/** `/layout/applications`: applications whose users sign in at this site (administrators only). */
import { t } from '@lingui/core/macro';
import { IconApps } from '@tabler/icons-react';
import {
  deleteApplication,
  listApplications,
  type Application,
  checkApplication,
  applicationIconMaximumBytes,
  changeApplication,
  createApplication,
  type AccessEntry,
  type NamedAccess,
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
import { countOf, describeAll, hostOf, setupStates, setupSteps } from './application-texts.ts';
import type { RouteResult } from '@vestibule/contract/route';
import { formatMessage } from '../../language/format-message.ts';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { useBusy } from '../../ui/use-busy.ts';
import { useQueryClient } from '@tanstack/react-query';
import { formatSize } from '../../language/formats.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { PictureField } from '../../ui/fields/picture-field.tsx';
import { useForm, type FieldErrors } from '../../ui/fields/use-form.ts';
import { AccessField } from './access-field.tsx';

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

/** `icon` is base64, or undefined while the stored icon is unchanged. */
type Values = { name: string; address: string; icon: string | null | undefined; access: NamedAccess[] };

/** Registers an application, or changes `application`. */
function ApplicationDialog({
  application,
  hasOrganizations,
  onSaved,
  onCreated,
  onClose,
}: {
  application: Application | null;
  hasOrganizations: boolean;
  onSaved: () => void;
  onCreated: (application: Application) => void;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [preview, setPreview] = useState(application?.iconUrl ?? null);
  const form = useForm<Values>({
    initial: {
      name: application?.name ?? '',
      address: application?.address ?? '',
      icon: undefined,
      access: application?.access ?? [],
    },
    // With an empty list, for example after a choice without Add, the application would refuse all users.
    validate: ({ name, address, access }): FieldErrors =>
      name === '' || address === '' || access.length > 0
        ? {}
        : { access: t`Add who may use it: choose, and press Add.` },
    async onSubmit(values) {
      const body = toBody(values);
      const saved = application
        ? await call(changeApplication, {
            params: { applicationId: application.id },
            body: { ...body, version: application.version },
          })
        : await call(createApplication, { body });
      toast.success(application ? t`${saved.name} has been changed.` : t`${saved.name} has been added.`);
      void queries.invalidateQueries({ queryKey: ['my applications'] });
      onSaved();
      if (application) onClose();
      else onCreated(saved);
    },
  });
  const maximum = formatSize(applicationIconMaximumBytes);

  return (
    <FormDialog
      form={form}
      title={application ? t`Change application` : t`New application`}
      onClose={onClose}
      submit={application ? t`Save` : t`Add application`}
    >
      <TextField label={t`Name`} autoComplete="off" required {...form.text('name')} />
      <TextField
        label={t`Address`}
        description={t`The address that users open, without a path, such as https://wiki.example.com. Each application has its own host name.`}
        inputMode="url"
        autoComplete="off"
        required
        {...form.text('address')}
      />
      <PictureField
        label={t`Icon`}
        note={t`PNG, JPEG or WebP, at most ${maximum}. Optional.`}
        pictureLabel={t`Current icon`}
        picture={preview}
        maximumBytes={applicationIconMaximumBytes}
        problem={form.errors['icon']}
        onChange={(icon, type) => {
          form.set('icon', icon);
          setPreview(icon && `data:${type};base64,${icon}`);
        }}
      />
      <AccessField
        access={form.values.access}
        hasOrganizations={hasOrganizations}
        problem={form.errors['access']}
        onChange={(access) => form.set('access', access)}
      />
    </FormDialog>
  );
}

const toBody = ({ name, address, icon, access }: Values) => ({
  name,
  address,
  access: access.map(toEntry),
  ...(icon !== undefined && { icon }),
});

function toEntry({ kind, role, organizationId, roleId, groupId, personId }: NamedAccess): AccessEntry {
  switch (kind) {
    case 'siteRole':
      return { kind, role: role ?? 'admin' };
    case 'organization':
      return { kind, organizationId, roleId };
    case 'group':
      return { kind, groupId: groupId ?? '' };
    case 'person':
      return { kind, personId: personId ?? '' };
    case 'everyone':
      return { kind };
  }
}
