import { t } from '@lingui/core/macro';
import { formatMessage } from '../../language/format-message.ts';

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
    'connection.write': t`Set up single sign-on, and so decide who signs in as a member of the verified domains`,
    'tokens.write': t`Create and revoke access tokens of the organization`,
    'webhooks.write': t`Manage webhooks of the organization`,
    'directory.write': t`Let a directory add and remove members (SCIM)`,
    'activity.read': t`See the activity of the organization`,
  };
  return labels[name] ?? formatMessage({ code: `permission:${name}`, message: label });
}
