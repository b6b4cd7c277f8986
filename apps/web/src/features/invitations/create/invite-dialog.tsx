import type { Batch } from '@vestibule/contract/invitations/batches';
import type { Invitation } from '@vestibule/contract/invitations';
import { CheckStep } from './review/check-step.tsx';
import { SendingStep } from './sending-step.tsx';
import { useInvite } from './use-invite.ts';
import { WriteStep } from './write-step.tsx';
import './invite-dialog.css';

export default function InviteDialog(props: {
  onClose: () => void;
  /** Called after a single invitation was sent, even if the dialog has been closed. */
  onInvited: (invitation: Invitation) => void;
  /** Called when the server has accepted the list and will send the mails. */
  onAccepted: (batch: Batch) => void;
}) {
  const invite = useInvite(props);
  switch (invite.draft.step) {
    case 'write':
      return <WriteStep invite={invite} />;
    case 'check':
      return <CheckStep invite={invite} />;
    case 'sending':
      return <SendingStep invite={invite} />;
  }
}
