/** `/layout/organizations`: all organizations (administrators only). */
import { plural, t } from '@lingui/core/macro';
import { IconBuilding } from '@tabler/icons-react';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import {
  changeOrganization,
  countOrganizations,
  deleteOrganization,
  listOrganizations,
  type Organization,
  type OrganizationColumn,
  type OrganizationGroup,
  type OrganizationStatus,
} from '@vestibule/contract/organizations';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { withColumns, withValues } from 'virtual:extensions';
import { OrganizationDialog } from './organization-dialog.tsx';
import { countOf, statuses, statusOf } from './organization-texts.ts';
import { call } from '../../lib/call.ts';
import { fetchCountsFrom, fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';

const ImportDialog = lazy(() => import('./import/import-dialog.tsx'));

const route = getRouteApi('/_signed-in/layout/organizations');

const source = {
  name: 'organizations',
  fetchPage: withValues('organizations', fetchPageFrom(listOrganizations)),
  exportPath: '/api/organizations/export',
  countTabs: fetchCountsFrom(countOrganizations),
};

const columns = () =>
  columnsByName<Organization, OrganizationColumn>({
    name: { title: t`Name`, kind: 'text', text: ({ name }) => name, filter: { kind: 'text' }, flex: 3 },
    slug: {
      title: t`Short name`,
      kind: 'text',
      text: ({ slug }) => slug,
      filter: { kind: 'text' },
      narrow: 'subtitle',
    },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: (organization) => statusOf(organization, Date.now()),
      filter: { kind: 'set', values: valuesOf(statuses()) },
      narrowIf: ({ status, expiresAt }) => status === 'suspended' || expiresAt !== null,
    },
    memberCount: {
      title: t`Members`,
      kind: 'number',
      number: ({ memberCount }) => memberCount,
      minWidth: 136,
      filter: { kind: 'number' },
    },
    seatLimit: {
      title: t`Seats`,
      kind: 'number',
      number: ({ seatLimit }) => seatLimit,
      filter: { kind: 'number' },
    },
    expiresAt: {
      title: t`Expires`,
      kind: 'date-time',
      time: ({ expiresAt }) => expiresAt,
      none: t`Never`,
      filter: { kind: 'date', optional: true, ahead: true },
    },
    createdAt: {
      title: t`Created`,
      kind: 'date-time',
      time: ({ createdAt }) => createdAt,
      filter: { kind: 'date' },
      narrow: 'detail',
    },
    createdBy: {
      title: t`Created by`,
      kind: 'text',
      text: ({ createdBy }) => createdBy ?? '',
      filter: { kind: 'text', optional: true },
      hidden: true,
    },
  });

const tabs = () => {
  const labels: Record<OrganizationGroup, string> = {
    active: t`Active`,
    suspended: t`Suspended`,
    expired: t`Expired`,
    withoutManager: t`Without manager`,
  };
  return Object.entries(labels).map(([id, label]) => ({ id, label }));
};

type OpenDialog = { what: 'new' | 'import' } | { what: 'change' | 'delete'; organization: Organization };

export function OrganizationsScreen() {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const grid = useRef<GridHandle>(null);
  const { session } = route.useRouteContext();
  const router = useRouter();
  const navigate = route.useNavigate();
  const address = route.useSearch();
  const shownColumns = useMemo(() => withColumns('organizations', columns()), []);
  const refresh = () => grid.current?.refresh();
  const open = ({ slug }: Organization) =>
    void navigate({ to: '/layout/organization/$slug', params: { slug } });

  const setStatus = (organization: Organization, status: OrganizationStatus): Promise<unknown> =>
    runWithErrorToast(async () => {
      const changed = await call(changeOrganization, {
        params: { organizationId: organization.id },
        query: { version: organization.version },
        body: { status },
      });
      const undone = status === 'active' ? 'suspended' : 'active';
      toast.success(
        status === 'active'
          ? t`${organization.name} is active again.`
          : t`${organization.name} is suspended.`,
        { undo: () => setStatus(changed, undone) },
      );
      refresh();
    });
  const buttons = (
    <>
      <Button onClick={() => setDialog({ what: 'import' })}>{t`From a file`}</Button>
      <Button variant="primary" onClick={() => setDialog({ what: 'new' })}>{t`New organization`}</Button>
    </>
  );
  /** The menu has an entry as soon as an organization exists. */
  const onCreated = () => {
    refresh();
    if (!session.configuration.HasOrganizations)
      void session.loadConfiguration().then(() => router.invalidate());
  };

  return (
    <Page title={t`Organizations`} fill actions={buttons}>
      <DataGrid
        ref={grid}
        label={t`Organizations`}
        countOf={countOf}
        columns={shownColumns}
        source={source}
        tabs={tabs()}
        address={{
          current: address,
          onChange: (next) =>
            void navigate({
              search: (previous) => ({ ...previous, ...next }),
              replace: true,
              resetScroll: false,
            }),
        }}
        onRowOpen={open}
        rowActions={(organization) => [
          { label: t`Open`, onSelect: () => open(organization) },
          { label: t`Change`, onSelect: () => setDialog({ what: 'change', organization }) },
          organization.status === 'active'
            ? { label: t`Suspend`, onSelect: () => setStatus(organization, 'suspended') }
            : { label: t`Reactivate`, onSelect: () => setStatus(organization, 'active') },
          { label: t`Delete`, danger: true, onSelect: () => setDialog({ what: 'delete', organization }) },
        ]}
        emptyState={
          <EmptyState icon={<IconBuilding size={32} stroke={1.5} />} title={t`No organizations yet`}>
            {t`Create one for each customer, partner or department that manages its own members.`}
          </EmptyState>
        }
      />
      {dialog?.what === 'import' && (
        <Suspense>
          <ImportDialog onCreated={onCreated} onClose={() => setDialog(null)} />
        </Suspense>
      )}
      {(dialog?.what === 'new' || dialog?.what === 'change') && (
        <OrganizationDialog
          organization={dialog.what === 'change' ? dialog.organization : null}
          onSaved={onCreated}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.what === 'delete' && (
        <DeleteDialog
          organization={dialog.organization}
          onDeleted={refresh}
          onClose={() => setDialog(null)}
        />
      )}
    </Page>
  );
}

/** Asks for the short name, because a deletion cannot be undone. */
function DeleteDialog({
  organization,
  onDeleted,
  onClose,
}: {
  organization: Organization;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const { id, name, slug, version, memberCount } = organization;
  return (
    <ConfirmDialog
      title={t`Delete ${name}?`}
      confirm={t`Delete organization`}
      danger
      isPossible={typed.trim() === slug}
      onClose={onClose}
      onConfirm={() =>
        runWithErrorToast(async () => {
          await call(deleteOrganization, { params: { organizationId: id }, query: { version } });
          toast.success(t`${name} has been deleted.`);
          onDeleted();
          onClose();
        })
      }
    >
      <p>
        {plural(memberCount, {
          one: 'The membership of # person ends. The person stays on this site.',
          other: 'The memberships of # people end. The people stay on this site.',
        })}
      </p>
      <p>{t`Its open invitations are revoked. Files stay with their owners, who can share them again. If you suspend it instead, nothing is lost.`}</p>
      <TextField
        label={t`Enter the short name ${slug} to delete it`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ConfirmDialog>
  );
}
