import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { toast } from '../toast/toast.tsx';
import { Dialog } from './dialog.tsx';
import './secret-dialog.css';

/** Shows a secret, this once: only a button that says so leads out. */
export function SecretDialog({
  title,
  secret,
  copy,
  copied,
  onClose,
  children,
}: {
  title: string;
  secret: string;
  /** What the button does: "Copy token". */
  copy: string;
  /** What is told afterwards. */
  copied: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const copyIt = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      toast.success(copied);
    } catch {
      toast.failure(t`The browser does not allow copying here. Select the text and copy it manually.`);
    }
  };
  return (
    <Dialog
      title={title}
      dismissable={false}
      onClose={onClose}
      actions={
        <>
          <Button onClick={copyIt}>{copy}</Button>
          <Button variant="primary" onClick={onClose}>
            <Trans>I have saved it</Trans>
          </Button>
        </>
      }
    >
      <p>{children}</p>
      <code className="secret-dialog-secret">{secret}</code>
    </Dialog>
  );
}
