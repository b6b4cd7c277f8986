/** Copies the link of a pending invitation, or shows it if copying is not allowed. */
import { routeHere } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { getInvitationLink } from '@vestibule/contract/invitations';
import { call } from '../../lib/call.ts';
import { copyText, runWithErrorToast } from '../../ui/toast/toast.tsx';

export async function copyInvitationLink(invitation: { id: string; email: string }): Promise<void> {
  await runWithErrorToast(async () => {
    const { link } = await call(routeHere(getInvitationLink), { params: { invitationId: invitation.id } });
    await copyText(
      link,
      t`The link for ${invitation.email} is on your clipboard.`,
      t`The link for ${invitation.email}:`,
    );
  });
}
