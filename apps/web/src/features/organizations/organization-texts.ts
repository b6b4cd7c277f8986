import { plural, t } from '@lingui/core/macro';
import type { Organization } from '@vestibule/contract/organizations';
import { formatMessage } from '../../language/format-message.ts';

export const countOf = (count: number) => plural(count, { one: '# organization', other: '# organizations' });

/** Name of a role. Built-in roles have none stored. */
export function roleName(id: string, name: string | null): string {
  if (id === 'manager') return t`Manager`;
  return id === 'member' ? t`Member` : (name ?? id);
}

export const statuses = () =>
  ({
    active: { label: t`Active`, tone: 'success' },
    suspended: { label: t`Suspended`, tone: 'danger' },
  }) as const;

/** Badge of the status. An expired organization is closed to its members like a suspended one. */
export function statusOf({ status, expiresAt }: Pick<Organization, 'status' | 'expiresAt'>, now: number) {
  const isExpired = status === 'active' && expiresAt !== null && Date.parse(expiresAt) <= now;
  return isExpired ? { label: t`Expired`, tone: 'danger' as const } : statuses()[status];
}

/** Label of a permission. Those of extensions are in the catalogs (extension-definitions.ts). */
export function permissionLabel({ name, label }: { name: string; label: string }): string {
  const labels: Record<string, string> = {
    'organization.read': t`See the organization`,
    'organization.write': t`Change the logo of the organization`,
    'members.read': t`See all members`,
    'members.write': t`Change roles and remove members`,
    'invitations.read': t`See all invitations`,
    'invitations.write': t`Invite, resend, renew and revoke`,
    'domains.write': t`Verify domains, and choose who joins by them`,
    'connection.write': t`Set up single sign-on`,
    'tokens.write': t`Create and revoke access tokens of the organization`,
    'webhooks.write': t`Manage webhooks of the organization`,
    'directory.write': t`Let a directory add and remove members (SCIM)`,
    'activity.read': t`See the activity of the organization`,
  };
  return labels[name] ?? formatMessage({ code: `permission:${name}`, message: label });
}
