/** Members of an organization: roles, removal, and adding people of the site. */
import { t } from '@lingui/core/macro';
import {
  addMember,
  changeMember,
  getOrganization,
  listMembers,
  listOrganizationRoles,
  removeMember,
  type Member,
  type OrganizationRole,
} from '@vestibule/contract/organizations';
import { listPeople } from '@vestibule/contract/people';
import { useState } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Loading } from '../../ui/states.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { roleName } from './organization-texts.ts';

const shownMembers = 100;
const shownPeople = 5;

export default function MembersDialog({
  organizationId,
  onChanged,
  onClose,
}: {
  organizationId: string;
  onChanged: () => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const [removed, setRemoved] = useState<Member | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const params = { organizationId };
  const organization = useApiQuery(getOrganization, { key: ['organization', organizationId], params });
  const roles = useApiQuery(listOrganizationRoles, {
    key: ['organization', organizationId, 'roles'],
    params,
  });
  const members = useApiQuery(listMembers, {
    key: ['organization', organizationId, 'members', search],
    params,
    query: { limit: shownMembers, sort: 'displayName', ...(search && { search }) },
    placeholderData: (previous) => previous,
  });
  const rows = members.data?.rows ?? [];
  const total = members.data?.total ?? rows.length;
  const name = organization.data?.name ?? '';

  const act = (work: () => Promise<unknown>) =>
    runWithErrorToast(async () => {
      await work();
      await Promise.all([members.refetch(), organization.refetch()]);
      onChanged();
    });
  const giveRole = (member: Member, roleId: string, label: string) =>
    act(async () => {
      await call(changeMember, { params: { ...params, personId: member.id }, body: { roleId } });
      toast.success(t`${nameOf(member)} now has the role ${label}.`);
    });

  if (removed)
    return (
      <ConfirmDialog
        title={t`Remove ${nameOf(removed)} from ${name}?`}
        confirm={t`Remove`}
        danger
        onClose={() => setRemoved(null)}
        onConfirm={() =>
          act(() => call(removeMember, { params: { ...params, personId: removed.id } })).then(
            (isDone) => isDone && setRemoved(null),
          )
        }
      >
        <p>{t`The person stays on this site and in other organizations.`}</p>
      </ConfirmDialog>
    );
  if (isAdding)
    return (
      <AddMemberDialog
        name={name}
        roles={(roles.data?.rows ?? []).map((role) => ({
          value: role.id,
          label: roleName(role.id, role.name),
        }))}
        onClose={() => setIsAdding(false)}
        onAdd={(personId, roleId) => act(() => call(addMember, { params, body: { personId, roleId } }))}
      />
    );
  return (
    <Dialog
      title={t`Members of ${name}`}
      width={720}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setIsAdding(true)}>{t`Add a person`}</Button>
          <CloseAction onClose={onClose} />
        </>
      }
    >
      <div className="stack">
        <TextField
          label={t`Search members`}
          type="search"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Loading query={members} title={t`The members could not be loaded`} lines={4} />
        {members.data && (
          <RecordList
            label={t`Members`}
            empty={search ? t`No member matches.` : t`No members yet.`}
            entries={rows.map((member) => ({
              id: member.id,
              text: nameOf(member),
              detail: member.email,
              badges: (
                <>
                  {member.status === 'disabled' && <Badge tone="danger">{t`Disabled`}</Badge>}
                  <MemberMenu
                    member={member}
                    roles={(roles.data?.rows ?? []).filter(({ mayGive }) => mayGive)}
                    onGive={(roleId, label) => giveRole(member, roleId, label)}
                    onRemove={() => setRemoved(member)}
                  />
                </>
              ),
            }))}
          />
        )}
        {total > rows.length && (
          <p className="small-print">{t`These are ${formatNumber(rows.length)} of ${formatNumber(total)} members. Search to find others.`}</p>
        )}
      </div>
    </Dialog>
  );
}

function MemberMenu({
  member,
  roles,
  onGive,
  onRemove,
}: {
  member: Member;
  roles: readonly OrganizationRole[];
  onGive: (roleId: string, label: string) => unknown;
  onRemove: () => void;
}) {
  const current = roleName(member.roleId, member.roleName);
  return (
    <Menu
      items={[
        ...roles
          .filter(({ id }) => id !== member.roleId)
          .map(({ id, name }) => {
            const label = roleName(id, name);
            return { label: t`Give the role ${label}`, onSelect: () => onGive(id, label) };
          }),
        { label: t`Remove`, danger: true, onSelect: onRemove },
      ]}
    >
      <Button size="small" aria-label={t`Role of ${nameOf(member)}: ${current}`}>
        {current}
      </Button>
    </Menu>
  );
}

function AddMemberDialog({
  name,
  roles,
  onAdd,
  onClose,
}: {
  name: string;
  roles: readonly { value: string; label: string }[];
  onAdd: (personId: string, roleId: string) => Promise<boolean>;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const [roleId, setRoleId] = useState('member');
  const people = useApiQuery(listPeople, {
    key: ['people', 'to add', search],
    query: { limit: shownPeople, search },
    enabled: search.trim().length > 1,
    placeholderData: (previous) => previous,
  });
  const found = search.trim().length > 1 ? (people.data?.rows ?? []) : [];
  return (
    <Dialog title={t`Add a person to ${name}`} onClose={onClose} actions={<CloseAction onClose={onClose} />}>
      <div className="stack">
        <SelectField
          label={t`Role`}
          options={roles}
          value={roleId}
          onChange={(event) => setRoleId(event.target.value)}
        />
        <TextField
          label={t`Name or e-mail`}
          description={t`People of this site. Enter two letters or more.`}
          type="search"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <RecordList
          empty={people.data && search.trim().length > 1 ? t`No person matches.` : ''}
          entries={found.map((person) => ({
            id: person.id,
            text: person.displayName,
            detail: person.email,
            badges: (
              <Button
                size="small"
                aria-label={t`Add ${person.displayName}`}
                onClick={() => onAdd(person.id, roleId).then((isDone) => isDone && onClose())}
              >
                {t`Add`}
              </Button>
            ),
          }))}
        />
      </div>
    </Dialog>
  );
}

const nameOf = ({ displayName, email }: Member) => displayName || email;
