/** Step shown while the list is being sent. It cannot be closed unless the connection is lost. */
import { t } from '@lingui/core/macro';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { countOf } from '../invitation-texts.ts';
import { countOutcome } from './review/outcome.ts';
import type { InviteState } from './use-invite.ts';

export function SendingStep({ invite: { draft, errorMessage, close, backToList } }: { invite: InviteState }) {
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
