import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { copyText } from '../toast/toast.tsx';
import { CloseAction, Dialog } from './dialog.tsx';

/** Shows a secret once. Only a button closes it. */
export function SecretDialog({
  title,
  secret,
  onClose,
  children,
}: {
  title: string;
  secret: string;
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
          <Button onClick={() => copyText(secret, t`Copied.`)}>{t`Copy`}</Button>
          <CloseAction label={t`I have saved it`} onClose={onClose} />
        </>
      }
    >
      <p>{children}</p>
      <code className="secret-dialog-secret">{secret}</code>
    </Dialog>
  );
}
