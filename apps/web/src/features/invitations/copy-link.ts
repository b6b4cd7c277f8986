/** Puts the link of an open invitation on the clipboard, or shows it where the browser does not allow that. */
import { t } from '@lingui/core/macro';
import { getInvitationLink } from '@vestibule/contract/invitations';
import { call } from '../../lib/call.ts';
import { toast } from '../../ui/toast/toast.tsx';
import { tryTo } from '../../ui/toast/try-to.ts';

export async function copyInvitationLink(invitation: { id: string; email: string }): Promise<void> {
  await tryTo(async () => {
    const { link } = await call(getInvitationLink, { params: { invitationId: invitation.id } });
    try {
      await navigator.clipboard.writeText(link);
      toast.success(t`The link for ${invitation.email} is on your clipboard.`);
    } catch {
      // No permission, or not a secure context: the link can still be marked and copied by hand.
      window.prompt(t`The link for ${invitation.email}:`, link);
    }
  });
}
