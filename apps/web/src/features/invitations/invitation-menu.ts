/** Menu of an invitation by its status. */
import { t } from '@lingui/core/macro';
import type { Invitation } from '@vestibule/contract/invitations';
import type { PanelAction } from '../../ui/grid/detail-panel/side-panel.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import type { InvitationDialogs } from './invitation-dialogs.tsx';
import { copyInvitationLink } from './copy-link.ts';
import { sendAgain } from './invitation-changes.ts';
import { draftAgain } from './create/invite-draft.ts';
import { afterSending, isOpen } from './invitation-texts.ts';

/** Actions with `main` are buttons if there is space. */
export function invitationMenu(
  invitation: Invitation,
  {
    onAsk,
    onChanged,
    onInvite,
  }: {
    onAsk: (asked: InvitationDialogs) => void;
    onChanged: () => void;
    /** Opens the invite dialog with the draft. */
    onInvite: () => void;
  },
): PanelAction[] {
  const ask = (what: InvitationDialogs['what']) => () => onAsk({ what, invitation });
  const revoking = { label: t`Revoke`, danger: true, main: true, onSelect: ask('revoke') };
  if (invitation.status === 'revoked')
    return [
      {
        label: t`Invite again`,
        main: true,
        onSelect: () => {
          if (!draftAgain(invitation))
            toast.failure(
              t`A list of invitations is still being sent. Invite ${invitation.email} again after that.`,
            );
          onInvite();
        },
      },
    ];
  if (invitation.status === 'expired')
    return [{ label: t`Renew`, main: true, onSelect: ask('renew') }, revoking];
  if (!isOpen(invitation)) return [];
  return [
    { label: t`Resend`, main: true, onSelect: () => sendAgain(invitation).then(onChanged) },
    { label: t`Copy link`, main: true, onSelect: () => copyInvitationLink(invitation) },
    { label: t`QR code`, onSelect: ask('qr') },
    { label: t`Change address`, onSelect: ask('address') },
    revoking,
  ];
}

/** Shows a toast with the action to copy the link. */
export function tellInvited(invitation: Invitation): void {
  toast.success(afterSending(invitation, t`The invitation for ${invitation.email} is on its way.`), {
    action: { label: t`Copy link`, onClick: () => copyInvitationLink(invitation) },
  });
}
