import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { useBusy } from '../use-busy.ts';
import { Dialog } from './dialog.tsx';

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog({
  title,
  confirm,
  cancel,
  danger = false,
  isPossible = true,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** Verb phrase: "Revoke invitation". */
  confirm: string;
  /** Label of the cancel button. Set it if closing stops the running action; otherwise the dialog cannot be closed meanwhile. */
  cancel?: string;
  danger?: boolean;
  /** If false, there is nothing to do, and the confirm button is disabled. */
  isPossible?: boolean;
  /** If it returns a promise, the button is busy until that settles. */
  onConfirm: () => unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  const [run, isRunning] = useBusy(onConfirm);
  const isLocked = isRunning && cancel === undefined;
  return (
    <Dialog
      title={title}
      width={560}
      className="confirm-dialog"
      onClose={() => (isLocked ? undefined : onClose())}
      actions={
        <>
          <Button aria-disabled={isLocked} onClick={onClose}>
            {cancel ?? t`Cancel`}
          </Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            aria-disabled={!isPossible}
            busy={isRunning}
            onClick={run}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
