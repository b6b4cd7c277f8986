/** Roles that members of organizations can have, in the settings. */
import { plural, t } from '@lingui/core/macro';
import {
  createRole,
  deleteRole,
  listRoles,
  replaceRole,
  type OrganizationRole,
} from '@vestibule/contract/organizations';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { CheckboxGroup } from '../../ui/fields/check-box.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { Menu } from '../../ui/menu/menu.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { roleName } from '../../lib/role-name.ts';
import { permissionLabel } from './permission-label.ts';

export function RolesCard() {
  const roles = useApiQuery(listRoles, { key: ['organization-roles'] });
  const permissions = roles.data?.permissions ?? [];
  const labelOf = (name: string) =>
    permissionLabel(permissions.find((one) => one.name === name) ?? { name, label: name });
  const { dialog, open, ask } = useDialog(() => void roles.refetch());
  const edit = (role: OrganizationRole | null) =>
    open((close) => <RoleDialog role={role} permissions={permissions} onClose={close} />);
  const remove = (role: OrganizationRole) =>
    ask({
      title: t`Delete the role ${role.name ?? ''}?`,
      confirm: t`Delete role`,
      danger: true,
      text: t`A role that a member or an open invitation has cannot be deleted.`,
      act: () => call(deleteRole, { params: { roleId: role.id } }),
    });
  return (
    <Card
      title={t`Roles in organizations`}
      // The dialog offers the loaded permissions.
      actions={roles.data && <Button onClick={() => edit(null)}>{t`New role`}</Button>}
    >
      <p className="card-lead">{t`Roles apply to all organizations. A manager has all permissions.`}</p>
      <Loading query={roles} title={t`The roles could not be loaded`} lines={3} />
      {roles.data && (
        <RecordList
          entries={roles.data.rows.map((role) => ({
            id: role.id,
            text: <strong>{roleName(role.id, role.name)}</strong>,
            detail: [
              ...(role.name === null ? [] : [plural(role.members, { one: '# member', other: '# members' })]),
              role.id === 'manager' ? t`All permissions` : role.permissions.map(labelOf).join(', '),
            ].join(' · '),
            badges: role.name !== null && (
              <Menu
                items={[
                  { label: t`Change`, onSelect: () => edit(role) },
                  { label: t`Delete`, danger: true, onSelect: () => remove(role) },
                ]}
              >
                <Button size="small" aria-label={t`Actions for ${role.name}`}>
                  {t`Actions`}
                </Button>
              </Menu>
            ),
          }))}
        />
      )}
      {dialog}
    </Card>
  );
}

/** Creates a role, or changes `role`. Members have the permissions of the role `member` anyway. */
function RoleDialog({
  role,
  permissions,
  onClose,
}: {
  role: OrganizationRole | null;
  permissions: readonly { name: string; label: string }[];
  onClose: () => void;
}) {
  const form = useForm<{ name: string; permissions: string[] }>({
    initial: { name: role?.name ?? '', permissions: role?.permissions ?? [] },
    validate: ({ name }): Record<string, string> => (name.trim() === '' ? { name: t`Enter a name.` } : {}),
    async onSubmit(body) {
      if (role) await call(replaceRole, { params: { roleId: role.id }, body });
      else await call(createRole, { body });
      toast.success(
        role ? t`The role ${body.name} has been changed.` : t`The role ${body.name} has been created.`,
      );
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={role ? t`Change role` : t`New role`}
      width={600}
      onClose={onClose}
      submit={role ? t`Save` : t`Create role`}
    >
      <TextField label={t`Name`} autoComplete="off" required {...form.text('name')} />
      <CheckboxGroup
        label={t`Permissions`}
        options={permissions.map((one) => ({ value: one.name, label: permissionLabel(one) }))}
        chosen={form.values.permissions}
        problem={form.errors['permissions']}
        onChange={(chosen) => form.set('permissions', chosen)}
      />
    </FormDialog>
  );
}
