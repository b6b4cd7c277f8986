/** Step shown while the list is being sent. It cannot be closed unless the connection is lost. */
import { t } from '@lingui/core/macro';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { countOf } from '../invitation-texts.ts';
import { outcomeOf } from './review/outcome.ts';
import type { Inviting } from './use-inviting.ts';

export function SendingStep({ inviting: { draft, trouble, close, backToList } }: { inviting: Inviting }) {
  const { invited, sentAgain } = outcomeOf(draft);
  return (
    <Dialog
      title={t`Sending the invitations`}
      width={760}
      dismissable={false}
      onClose={close}
      actions={trouble && <Button onClick={backToList}>{t`Back to the list`}</Button>}
    >
      <div role="alert">{trouble && <p className="form-errors">{trouble}</p>}</div>
      <output>{t`Sending ${countOf(invited + sentAgain)} to the server…`}</output>
    </Dialog>
  );
}
