/** Puts the link of an open invitation on the clipboard, or shows it where the browser does not allow that. */
import { t } from '@lingui/core/macro';
import { getInvitationLink } from '@vestibule/contract/invitations';
import { call } from '../../lib/call.ts';
import { copyText } from '../../ui/toast/copy-text.ts';
import { runWithErrorToast } from '../../ui/toast/run-with-error-toast.ts';

export async function copyInvitationLink(invitation: { id: string; email: string }): Promise<void> {
  await runWithErrorToast(async () => {
    const { link } = await call(getInvitationLink, { params: { invitationId: invitation.id } });
    await copyText(
      link,
      t`The link for ${invitation.email} is on your clipboard.`,
      t`The link for ${invitation.email}:`,
    );
  });
}
