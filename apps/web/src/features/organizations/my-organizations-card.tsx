/** Organizations of the user, and invitations to others. */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listMyInvitations } from '@vestibule/contract/invitations/mine';
import { leaveOrganization } from '@vestibule/contract/organizations';
import { listMyOrganizations, type Membership } from '@vestibule/contract/organizations/mine';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { JoinableList, useJoinable } from './joinable-organizations.tsx';
import { roleName } from '../../lib/role-name.ts';

export function MyOrganizationsCard() {
  const mine = useApiQuery(listMyOrganizations, { key: ['my organizations'] });
  const open = useApiQuery(listMyInvitations, { key: ['my invitations'] });
  const joinable = useJoinable();
  const queries = useQueryClient();
  const { dialog, ask } = useDialog();
  const leave = ({ name, slug }: Membership) =>
    ask({
      title: t`Leave ${name}?`,
      confirm: t`Leave`,
      danger: true,
      text: t`You no longer see ${name}. You stay on this site, and can return only by an invitation or a request after 30 days.`,
      async act() {
        await call(leaveOrganization, { params: { slug } });
        toast.success(t`You are no longer a member of ${name}.`);
        await queries.invalidateQueries({ queryKey: ['my organizations'] });
      },
    });
  return (
    <Card title={t`My organizations`}>
      <Loading query={mine} title={t`Your organizations could not be loaded`} lines={2} />
      {mine.data && (
        <RecordList
          empty={t`You are not a member of an organization.`}
          entries={mine.data.rows.map((membership) => ({
            id: membership.organizationId,
            text: (
              <Link to="/layout/organization/$slug" params={{ slug: membership.slug }}>
                {membership.name}
              </Link>
            ),
            detail: describe(membership),
            badges: (
              <>
                {membership.isSuspended && <Badge tone="danger">{t`Suspended`}</Badge>}
                <Button size="small" onClick={() => leave(membership)}>
                  {t`Leave`} <span className="visually-hidden">{membership.name}</span>
                </Button>
              </>
            ),
          }))}
        />
      )}
      {joinable.length > 0 && (
        <>
          <h3>{t`Organizations of your e-mail domain`}</h3>
          <JoinableList organizations={joinable} />
        </>
      )}
      {open.data && open.data.rows.length > 0 && (
        <>
          <h3>{t`Open invitations`}</h3>
          <RecordList
            entries={open.data.rows.map(({ id, organizationName, inviter, isSuspended }) => ({
              id,
              text: organizationName,
              detail: inviter === null ? '' : t`Invited by ${inviter}`,
              badges: (
                <>
                  {isSuspended && <Badge tone="danger">{t`Suspended`}</Badge>}
                  <Link
                    to="/layout/join/$invitationId"
                    params={{ invitationId: id }}
                    className="button button-secondary button-small"
                  >
                    {t`Show`} <span className="visually-hidden">{organizationName}</span>
                  </Link>
                </>
              ),
            }))}
          />
        </>
      )}
      {dialog}
    </Card>
  );
}

function describe({ roleId, roleName: name, managers }: Membership): string {
  const role = roleName(roleId, name);
  if (managers.length === 0) return role;
  const names = managers.map(({ displayName, email }) => displayName || email).join(', ');
  return t`${role}. Managers: ${names}`;
}
