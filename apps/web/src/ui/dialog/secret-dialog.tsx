import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { copyText } from '../toast/copy-text.ts';
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
  return (
    <Dialog
      title={title}
      dismissable={false}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => copyText(secret, copied)}>{copy}</Button>
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
