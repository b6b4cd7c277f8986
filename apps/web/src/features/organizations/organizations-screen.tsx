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
  createOrganization,
  seatLimitMaximum,
} from '@vestibule/contract/organizations';
import { lazy, useMemo, useRef, useState } from 'react';
import { withColumns, withValues } from 'virtual:extensions';
import { countOf, statuses, statusOf } from './organization-texts.ts';
import { call } from '../../lib/call.ts';
import { fetchCountsFrom, fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { suggestSlug } from '@vestibule/contract/rules/slug';
import { CheckBox } from '../../ui/fields/check-box.tsx';
import { DateField } from '../../ui/fields/date-field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';

const ImportDialog = lazy(() => import('./import/import-dialog.tsx'));

const route = getRouteApi('/_signed-in/layout/organizations');

const source = {
  name: 'organizations',
  fetchPage: withValues('organizations', fetchPageFrom(listOrganizations)),
  exportPath: '/api/organizations/export',
  countTabs: fetchCountsFrom(countOrganizations),
};

/** Together with the menu of a row, the columns fit in a window of 1280 pixels, in English and German. */
const columns = () =>
  columnsByName<Organization, OrganizationColumn>({
    name: { title: t`Name`, kind: 'text', filter: { kind: 'text' }, flex: 3, minWidth: 150 },
    slug: { title: t`Short name`, kind: 'text', filter: { kind: 'text' }, narrow: 'subtitle' },
    status: {
      title: t`Status`,
      kind: 'badge',
      minWidth: 126,
      badge: (organization) => statusOf(organization, Date.now()),
      filter: { kind: 'set', values: valuesOf(statuses()) },
      narrowIf: ({ status, expiresAt }) => status === 'suspended' || expiresAt !== null,
    },
    memberCount: { title: t`Members`, kind: 'number', minWidth: 120, filter: { kind: 'number' } },
    seatLimit: { title: t`Seats`, kind: 'number', minWidth: 90, filter: { kind: 'number' } },
    expiresAt: {
      title: t`Expires`,
      kind: 'date-time',
      minWidth: 132,
      none: t`Never`,
      filter: { kind: 'date', optional: true, ahead: true },
    },
    createdAt: {
      title: t`Created`,
      kind: 'date-time',
      minWidth: 132,
      filter: { kind: 'date' },
      narrow: 'detail',
    },
    createdBy: { title: t`Created by`, kind: 'text', filter: { kind: 'text', optional: true }, hidden: true },
  });

const tabs = (): Record<OrganizationGroup, string> => ({
  active: t`Active`,
  suspended: t`Suspended`,
  expired: t`Expired`,
  withoutManager: t`Without manager`,
});

export function OrganizationsScreen() {
  const { dialog, open: openDialog } = useDialog();
  const grid = useRef<GridHandle>(null);
  const { session } = route.useRouteContext();
  const router = useRouter();
  const navigate = route.useNavigate();
  const address = useListAddress();
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
  /** The menu has an entry as soon as an organization exists. */
  const onCreated = () => {
    refresh();
    if (!session.configuration.HasOrganizations)
      void session.loadConfiguration().then(() => router.invalidate());
  };
  const edit = (organization: Organization | null) =>
    openDialog((close) => (
      <OrganizationDialog organization={organization} onSaved={onCreated} onClose={close} />
    ));
  const buttons = (
    <>
      <Button onClick={() => openDialog((close) => <ImportDialog onCreated={onCreated} onClose={close} />)}>
        {t`From a file`}
      </Button>
      <Button variant="primary" onClick={() => edit(null)}>{t`New organization`}</Button>
    </>
  );

  return (
    <Page title={t`Organizations`} fill actions={buttons}>
      <DataGrid
        ref={grid}
        label={t`Organizations`}
        countOf={countOf}
        columns={shownColumns}
        source={source}
        tabs={tabs()}
        address={address}
        onRowOpen={open}
        rowActions={(organization) => [
          { label: t`Open`, onSelect: () => open(organization) },
          { label: t`Change`, onSelect: () => edit(organization) },
          organization.status === 'active'
            ? { label: t`Suspend`, onSelect: () => setStatus(organization, 'suspended') }
            : { label: t`Reactivate`, onSelect: () => setStatus(organization, 'active') },
          {
            label: t`Delete`,
            danger: true,
            onSelect: () =>
              openDialog((close) => (
                <DeleteDialog organization={organization} onDeleted={refresh} onClose={close} />
              )),
          },
        ]}
        emptyState={
          <EmptyState icon={<IconBuilding size={32} stroke={1.5} />} title={t`No organizations yet`}>
            {t`Create one for each customer, partner or department that manages its own members.`}
          </EmptyState>
        }
      />
      {dialog}
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
        autoCapitalize="none"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ConfirmDialog>
  );
}

/** Values of the fields. The organization ends at the end of the last day in UTC. */
type Values = {
  name: string;
  slug: string;
  seatLimit: number | null;
  expiresAt: string;
  singleSignOn: boolean;
};

/** Creates an organization, or changes `organization`. */
function OrganizationDialog({
  organization,
  onClose,
  onSaved,
}: {
  organization: Organization | null;
  onClose: () => void;
  onSaved: () => void;
}) {
  // The short name follows the name until the user edits it.
  const [followsName, setFollowsName] = useState(organization === null);
  const form = useForm<Values>({
    initial: {
      name: organization?.name ?? '',
      slug: organization?.slug ?? '',
      seatLimit: organization?.seatLimit ?? null,
      expiresAt: organization?.expiresAt ? lastDayOf(organization.expiresAt) : '',
      singleSignOn: organization?.singleSignOn ?? false,
    },
    async onSubmit(values) {
      const body = toBody(values, organization);
      if (organization)
        await call(changeOrganization, {
          params: { organizationId: organization.id },
          query: { version: organization.version },
          body: { ...body, singleSignOn: values.singleSignOn },
        });
      else await call(createOrganization, { body });
      toast.success(organization ? t`${body.name} has been changed.` : t`${body.name} has been created.`);
      onSaved();
      onClose();
    },
  });
  const name = form.text('name');
  const slug = form.text('slug');
  return (
    <FormDialog
      form={form}
      title={organization ? t`Change organization` : t`New organization`}
      onClose={onClose}
      submit={organization ? t`Save` : t`Create organization`}
    >
      <TextField
        label={t`Name`}
        autoComplete="off"
        required
        {...name}
        onChange={(event) => {
          name.onChange(event);
          if (followsName) form.set('slug', suggestSlug(event.target.value));
        }}
      />
      <TextField
        label={t`Short name`}
        description={t`Part of addresses, such as acme. Letters a to z, digits and hyphens.`}
        autoComplete="off"
        autoCapitalize="none"
        required
        {...slug}
        onChange={(event) => {
          setFollowsName(false);
          slug.onChange(event);
        }}
      />
      <NumberField
        label={t`Seats`}
        description={t`The largest number of members. Leave empty for no limit.`}
        min={1}
        max={seatLimitMaximum}
        {...form.number('seatLimit')}
      />
      <DateField
        label={t`Last day`}
        description={t`After this day the organization is closed to its members. Leave empty for no end.`}
        {...form.text('expiresAt')}
      />
      {organization && (
        <CheckBox
          checked={form.values.singleSignOn}
          onChange={(singleSignOn) => form.set('singleSignOn', singleSignOn)}
        >
          {t`Managers may connect their own sign-in provider`}
        </CheckBox>
      )}
    </FormDialog>
  );
}

function toBody({ name, slug, seatLimit, expiresAt }: Values, organization: Organization | null) {
  const before = organization?.expiresAt ?? null;
  // An unchanged day keeps the time that a program may have set.
  const isChanged = expiresAt !== (before === null ? '' : lastDayOf(before));
  return { name, slug, seatLimit, expiresAt: isChanged ? endOf(expiresAt) : before };
}

/** The end of the day in the time zone of the browser. */
function endOf(day: string): string | null {
  if (day === '') return null;
  // From noon: in some countries summer time begins at midnight, which then does not exist.
  const end = new Date(`${day}T12:00:00`);
  end.setHours(24, 0, 0, 0);
  return end.toISOString();
}

/** The day before the time, or the day of the time if it is not midnight. */
const lastDayOf = (expiresAt: string) => new Date(Date.parse(expiresAt) - 1).toLocaleDateString('sv-SE');
