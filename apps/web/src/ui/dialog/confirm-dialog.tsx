import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before something that cannot be taken back: names what will happen, and the button says it too. */
export function ConfirmDialog({
  title,
  confirm,
  cancel,
  danger = false,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** What the button does, as a verb: "Revoke invitation". */
  confirm: string;
  /** What leaving it does, if not "Cancel": "Stop" while it runs. */
  cancel?: string;
  danger?: boolean;
  /** May return a promise; the button is busy until it settles. */
  onConfirm: () => unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      width={520}
      className="confirm-dialog"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{cancel ?? <Trans>Cancel</Trans>}</Button>
          <Button variant={danger ? 'danger' : 'primary'} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
