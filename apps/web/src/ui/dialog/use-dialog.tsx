import { useState, type ReactNode } from 'react';
import { LazyPart } from '../shell/lazy-part.tsx';
import { runWithErrorToast } from '../toast/toast.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

type RenderDialog = (close: () => void) => ReactNode;

/** Opens a dialog, which gets a function that closes it. */
export type OpenDialog = (render: RenderDialog) => void;

export type Question = {
  title: string;
  /** Verb phrase: "Revoke invitation". */
  confirm: string;
  danger?: boolean;
  /** The consequences. */
  text: ReactNode;
  act: () => Promise<unknown>;
};

/** Returns the open dialog, and functions that open and close it. Opening another dialog replaces it. `onClosed` is called after closing. */
export function useDialog(onClosed?: () => void) {
  const [shown, setShown] = useState<{ render: RenderDialog } | null>(null);
  const close = () => {
    setShown(null);
    onClosed?.();
  };
  /** Asks before an action. Closes after it, unless it has opened another dialog. If it fails, stays open and shows a toast. */
  const ask = ({ text, act, ...names }: Question) => {
    const onConfirm = async () => {
      if (!(await runWithErrorToast(act))) return;
      setShown((current) => (current === question ? null : current));
      onClosed?.();
    };
    const question = {
      render: () => (
        <ConfirmDialog {...names} onClose={close} onConfirm={onConfirm}>
          {typeof text === 'string' ? <p>{text}</p> : text}
        </ConfirmDialog>
      ),
    };
    setShown(question);
  };
  return {
    dialog: shown && <LazyPart onClose={close}>{shown.render(close)}</LazyPart>,
    open: (render: RenderDialog) => setShown({ render }),
    close,
    ask,
  };
}
