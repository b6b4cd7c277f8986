/** `/layout/join/…`: a person with an account accepts an invitation to an organization. */
import { t } from '@lingui/core/macro';
import { Link, useRouter } from '@tanstack/react-router';
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
} from '@vestibule/contract/invitations/mine';
import { useQueryClient } from '@tanstack/react-query';
import { formatMoment } from '../../language/moment.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { roleName } from '../../lib/role-name.ts';
import './organizations.css';

/** Returns whether a text has the form and the length of an address. The text of a link can be anything. */
const isAddress = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text);

export function JoinScreen({
  invitationId,
  email,
  invited,
  signOut,
}: {
  invitationId: string;
  email: string;
  /** Address of the invitation whose link was opened; empty after the user opened the invitation here. */
  invited: string;
  signOut: (after: { nextSignIn: { forceLogin: true; address: string }; returnUrl: string }) => Promise<void>;
}) {
  const router = useRouter();
  const queries = useQueryClient();
  const open = useApiQuery(listMyInvitations, { key: ['my invitations'], staleTime: 0 });
  const invitation = open.data?.rows.find(({ id }) => id === invitationId);
  const params = { invitationId };
  const isForOther = isAddress(invited) && invited.toLowerCase() !== email.toLowerCase();
  const switchAccount = () => {
    const returnUrl = `/layout/join/${invitationId}#for=${encodeURIComponent(invited)}`;
    return signOut({ nextSignIn: { forceLogin: true, address: invited }, returnUrl });
  };

  const accept = () =>
    runWithErrorToast(async () => {
      const { slug, name } = await call(acceptMyInvitation, { params });
      toast.success(t`You are now a member of ${name}.`);
      await queries.invalidateQueries({ queryKey: ['my organizations'] });
      await router.navigate({ to: '/layout/organization/$slug', params: { slug }, replace: true });
    });
  const decline = (name: string) =>
    runWithErrorToast(async () => {
      await call(declineMyInvitation, { params });
      toast.success(t`You have declined the invitation to ${name}.`);
      await router.navigate({ to: '/layout/dashboard', replace: true });
    });

  return (
    <Page title={t`Invitation`}>
      <Loading query={open} title={t`The invitation could not be loaded`} lines={4} />
      {open.data && !invitation && isForOther && (
        <EmptyState
          title={t`This invitation is for another address`}
          action={
            <Button variant="primary" onClick={() => runWithErrorToast(switchAccount)}>
              {t`Continue as ${invited}`}
            </Button>
          }
        >
          {t`The invitation was sent to ${invited}, but you signed in as ${email}. Sign in with the invited address, or ask for an invitation to the other one.`}
        </EmptyState>
      )}
      {open.data && !invitation && !isForOther && (
        <EmptyState
          title={t`This invitation cannot be accepted here`}
          action={<Link to="/layout/profile">{t`Show my organizations`}</Link>}
        >
          {t`You are signed in as ${email}. The invitation is for another address, or it was accepted, revoked or has expired. If it is for another address of yours, sign out and open its link again.`}
        </EmptyState>
      )}
      {invitation && (
        <Card
          title={
            invitation.inviter === null
              ? t`You are invited to ${invitation.organizationName}`
              : t`${invitation.inviter} invites you to ${invitation.organizationName}`
          }
        >
          <div className="stack">
            {invitation.organizationLogo && (
              <img className="organization-picture" src={invitation.organizationLogo.path} alt="" />
            )}
            <Facts
              items={[
                { name: t`Your role`, value: roleName(invitation.roleId, invitation.roleName) },
                ...(invitation.message ? [{ name: t`Message`, value: invitation.message }] : []),
                { name: t`Expires`, value: formatMoment(invitation.expiresAt) },
              ]}
            />
            <p className="small-print">
              {t`Its managers see your name, your e-mail address and when you were last here.`}
            </p>
            {invitation.isSuspended && (
              <p role="alert">
                {t`${invitation.organizationName} is suspended or has expired, so you cannot join it now. Ask the administrators of this site, and open the invitation again later.`}
              </p>
            )}
            <div className="organization-actions">
              {!invitation.isSuspended && (
                <Button variant="primary" onClick={accept}>
                  {t`Join ${invitation.organizationName}`}
                </Button>
              )}
              <Button onClick={() => decline(invitation.organizationName)}>{t`Decline`}</Button>
            </div>
          </div>
        </Card>
      )}
    </Page>
  );
}
