import type { Batch } from '@vestibule/contract/invitations/batches';
import type { Invitation } from '@vestibule/contract/invitations';
import { CheckStep } from './review/check-step.tsx';
import { SendingStep } from './sending-step.tsx';
import { useInviting } from './use-inviting.ts';
import { WriteStep } from './write-step.tsx';
import './inviting.css';

export default function InviteDialog(props: {
  onClose: () => void;
  /** Called after a single invitation, even if the dialog was closed meanwhile. */
  onInvited: (invitation: Invitation) => void;
  /** The server has accepted the list and will send the mails. */
  onAccepted: (batch: Batch) => void;
}) {
  const inviting = useInviting(props);
  switch (inviting.draft.step) {
    case 'write':
      return <WriteStep inviting={inviting} />;
    case 'check':
      return <CheckStep inviting={inviting} />;
    case 'sending':
      return <SendingStep inviting={inviting} />;
  }
}
