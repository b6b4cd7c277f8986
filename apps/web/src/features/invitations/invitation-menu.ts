/** Menu of an invitation, which depends on the invitation's status. */
import { t } from '@lingui/core/macro';
import type { Invitation } from '@vestibule/contract/invitations';
import type { PanelAction } from '../../ui/grid/side-panel.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import type { InvitationDialogs } from './invitation-dialogs.tsx';
import { copyInvitationLink, sendAgain } from './invitation-changes.ts';
import { addToDraft } from './create/invite-draft.ts';
import { sentMessage, isOpen } from './invitation-texts.ts';

/** Returns the menu items. Items with `main` are shown as buttons if there is space. */
export function invitationMenu(
  invitation: Invitation,
  {
    dialogs,
    onChanged,
    onInvite,
  }: {
    dialogs: InvitationDialogs;
    onChanged: () => void;
    /** Opens the invite dialog with the draft. */
    onInvite: () => void;
  },
): PanelAction[] {
  const { renew, changeAddress, showQrCode, revoke } = dialogs;
  const revokeAction = { label: t`Revoke`, danger: true, main: true, onSelect: () => revoke(invitation) };
  if (invitation.status === 'revoked')
    return [
      {
        label: t`Invite again`,
        main: true,
        onSelect: () => {
          if (!addToDraft(invitation))
            toast.failure(
              t`A list of invitations is still being sent. Invite ${invitation.email} again after that.`,
            );
          onInvite();
        },
      },
    ];
  if (invitation.status === 'expired')
    return [{ label: t`Renew`, main: true, onSelect: () => renew(invitation) }, revokeAction];
  if (!isOpen(invitation)) return [];
  return [
    { label: t`Resend`, main: true, onSelect: () => sendAgain(invitation).then(onChanged) },
    { label: t`Copy link`, main: true, onSelect: () => copyInvitationLink(invitation) },
    { label: t`QR code`, onSelect: () => showQrCode(invitation) },
    { label: t`Change address`, onSelect: () => changeAddress(invitation) },
    revokeAction,
  ];
}

/** Shows a toast with the action to copy the link. */
export function showInvitedToast(invitation: Invitation): void {
  toast.success(sentMessage(invitation, t`The invitation for ${invitation.email} is on its way.`), {
    action: { label: t`Copy link`, onClick: () => copyInvitationLink(invitation) },
  });
}
