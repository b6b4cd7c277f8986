import { t } from '@lingui/core/macro';
import type { Batch } from '@vestibule/contract/invitations/batches';
import type { Invitation } from '@vestibule/contract/invitations';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { countOf } from '../invitation-texts.ts';
import { CheckStep } from './review/check-step.tsx';
import { countOutcome } from './review/outcome.ts';
import { useInvite, type InviteState } from './use-invite.ts';
import { WriteStep } from './write-step.tsx';
import './invite-dialog.css';

export default function InviteDialog(props: {
  onClose: () => void;
  /** Called after a single invitation was sent. */
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

/** Cannot be closed unless the connection is lost. */
function SendingStep({ invite: { draft, errorMessage, close, backToList } }: { invite: InviteState }) {
  const { invited, sentAgain } = countOutcome(draft);
  return (
    <Dialog
      title={t`Sending the invitations`}
      width={760}
      dismissable={false}
      onClose={close}
      actions={errorMessage && <Button onClick={backToList}>{t`Back to the list`}</Button>}
    >
      <div role="alert">{errorMessage && <p className="form-errors">{errorMessage}</p>}</div>
      <output>{t`Sending ${countOf(invited + sentAgain)} to the server…`}</output>
    </Dialog>
  );
}
