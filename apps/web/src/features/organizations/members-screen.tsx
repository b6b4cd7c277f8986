/** `/layout/organization/…/members`: members of an organization, for its managers and for administrators of the site. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconUsers } from '@tabler/icons-react';
import {
  addMember,
  changeMember,
  exportMembers,
  listMembers,
  removeMember,
  type Member,
  type MemberColumn,
} from '@vestibule/contract/organizations';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { useMemo, useRef, useState } from 'react';
import { routeOf, type ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { usePeopleSearch } from '../../lib/lists/use-people-search.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { MembershipRequests } from './membership-requests.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { PersonSearch } from '../../ui/person/person-search.tsx';

const statuses = () =>
  ({
    active: { label: t`Active`, tone: 'success' },
    disabled: { label: t`Disabled`, tone: 'danger' },
  }) as const;

const columns = (roles: ActiveOrganization['roles']) =>
  columnsByName<Member, MemberColumn>({
    email: {
      title: t`Person`,
      kind: 'person',
      person: ({ id, displayName, email }) => ({ id, name: displayName, email }),
      shows: 'displayName',
      filter: { kind: 'text' },
      flex: 3,
    },
    displayName: { title: t`Name`, kind: 'text', filter: { kind: 'text' }, hidden: true },
    roleId: {
      title: t`Role`,
      kind: 'text',
      text: ({ roleId, roleName }) => roles.find(({ id }) => id === roleId)?.label ?? roleName ?? roleId,
      filter: { kind: 'set', values: roles.map(({ id, label }) => ({ value: id, label })) },
      narrow: 'detail',
    },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ status }) => statuses()[status],
      filter: { kind: 'set', values: valuesOf(statuses()) },
      narrowIf: ({ status }) => status === 'disabled',
    },
    joinedAt: { title: t`Member since`, kind: 'date-time', filter: { kind: 'date' } },
    addedBy: { title: t`Added by`, kind: 'text', filter: { kind: 'text', optional: true }, hidden: true },
    lastSeenAt: {
      title: t`Last seen`,
      kind: 'date-time',
      none: t`Never`,
      filter: { kind: 'date', optional: true },
    },
  });

const nameOf = ({ displayName, email }: Member) => displayName || email;

export function MembersScreen({
  organization,
  user,
}: {
  organization: ActiveOrganization;
  user: Pick<UserDetail, 'Id' | 'IsAdmin'>;
}) {
  const address = useListAddress();
  const { dialog, open, close, ask } = useDialog();
  const grid = useRef<GridHandle>(null);
  const { organizationId, name, roles } = organization;
  const shownColumns = useMemo(() => columns(roles), [roles]);
  const source = useMemo(
    () => ({
      name: 'organization-members',
      fetchPage: fetchPageFrom(routeOf(listMembers, { organizationId })),
      exportPath: routeOf(exportMembers, { organizationId }).path,
    }),
    [organizationId],
  );
  const mayChange = organization.permissions.includes('members.write');

  const isOwn = ({ id }: Member) => id === user.Id && !user.IsAdmin;
  const giveRole = async (member: Member, roleId: string): Promise<boolean> =>
    runWithErrorToast(async () => {
      const label = roles.find(({ id }) => id === roleId)?.label ?? '';
      await call(changeMember, { params: { organizationId, personId: member.id }, body: { roleId } });
      toast.success(
        t`${nameOf(member)} now has the role ${label}.`,
        isOwn(member) ? {} : { undo: () => giveRole({ ...member, roleId }, member.roleId) },
      );
      grid.current?.refresh();
    });
  const askToGiveRole = (member: Member, roleId: string, confirm: string) =>
    ask({
      title: `${confirm}: ${nameOf(member)}`,
      confirm,
      text: (
        <p>
          <Trans>
            <strong>This is you.</strong> You cannot undo this yourself.
          </Trans>
        </p>
      ),
      act: () => giveRole(member, roleId),
    });
  const remove = (member: Member) =>
    ask({
      title: t`Remove ${nameOf(member)} from ${name}?`,
      confirm: t`Remove`,
      danger: true,
      text: t`The person stays on this site and in other organizations. Their access tokens for ${name} stop working.`,
      async act() {
        await call(removeMember, { params: { organizationId, personId: member.id } });
        toast.success(t`${nameOf(member)} is no longer a member of ${name}.`);
        grid.current?.refresh();
      },
    });
  const add = () =>
    open(() => (
      <AddMemberDialog
        name={name}
        roles={roles.map(({ id, label }) => ({ value: id, label }))}
        onAdd={(personId, roleId) =>
          runWithErrorToast(async () => {
            await call(addMember, { params: { organizationId }, body: { personId, roleId } });
            grid.current?.refresh();
            close();
          })
        }
        onClose={close}
      />
    ));

  return (
    <Page
      title={t`Members`}
      fill
      actions={
        <>
          <MembershipRequests organization={organization} onDecided={() => grid.current?.refresh()} />
          {user.IsAdmin && <Button onClick={add}>{t`Add a person`}</Button>}
        </>
      }
    >
      <DataGrid
        key={organizationId}
        ref={grid}
        label={t`Members`}
        countOf={(count) => plural(count, { one: '# member', other: '# members' })}
        columns={shownColumns}
        source={source}
        address={address}
        {...(mayChange && {
          rowActions: (member: Member) => [
            ...roles
              .filter(({ id, mayGive }) => mayGive && id !== member.roleId)
              .map(({ id, label }) => {
                const action = t`Give the role ${label}`;
                return {
                  label: action,
                  onSelect: () => (isOwn(member) ? askToGiveRole(member, id, action) : giveRole(member, id)),
                };
              }),
            { label: t`Remove`, danger: true, onSelect: () => remove(member) },
          ],
        })}
        emptyState={
          <EmptyState icon={<IconUsers size={32} stroke={1.5} />} title={t`No members yet`}>
            {t`Invite the first one, or ask the administrators of this site to add a person.`}
          </EmptyState>
        }
      />
      {dialog}
    </Page>
  );
}

/** Adds a person of the site (administrators of the site only). */
function AddMemberDialog({
  name,
  roles,
  onAdd,
  onClose,
}: {
  /** Name of the organization. */
  name: string;
  roles: readonly { value: string; label: string }[];
  onAdd: (personId: string, roleId: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [roleId, setRoleId] = useState('member');
  const search = usePeopleSearch();
  return (
    <Dialog title={t`Add a person to ${name}`} onClose={onClose} actions={<CloseAction onClose={onClose} />}>
      <div className="stack">
        <SelectField
          label={t`Role`}
          options={roles}
          value={roleId}
          onChange={(event) => setRoleId(event.target.value)}
        />
        <PersonSearch {...search} onAdd={({ id }) => onAdd(id, roleId)} />
      </div>
    </Dialog>
  );
}
