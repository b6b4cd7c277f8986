import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { useBusy } from '../use-busy.ts';
import { Dialog } from './dialog.tsx';

/** Asks before something that cannot be taken back: names what will happen, and the button says it too. */
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
  /** What the button does, as a verb: "Revoke invitation". */
  confirm: string;
  /** What leaving it does, such as "Stop" while it runs. Without it nobody leaves while it runs: it goes on all the same. */
  cancel?: string;
  danger?: boolean;
  /** There is something to be done. */
  isPossible?: boolean;
  /** May return a promise; the button is busy until it settles. */
  onConfirm: () => unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  const [run, isRunning] = useBusy(onConfirm);
  const isHeld = isRunning && cancel === undefined;
  return (
    <Dialog
      title={title}
      width={560}
      className="confirm-dialog"
      onClose={() => (isHeld ? undefined : onClose())}
      actions={
        <>
          <Button aria-disabled={isHeld} onClick={onClose}>
            {cancel ?? <Trans>Cancel</Trans>}
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
