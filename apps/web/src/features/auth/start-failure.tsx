import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import type { StoredError } from './storage/storage.ts';

export const contactSupport = (SupportEmail: string) => (
  <Trans>
    Please contact support at <a href={`mailto:${SupportEmail}`}>{SupportEmail}</a> with any questions.
  </Trans>
);

export function SupportReference({ of }: { of: Pick<StoredError, 'reference'> }) {
  if (!of.reference) return null;
  return <p className="reference">{t`Reference for support: ${of.reference}`}</p>;
}

export function FailedDialog({
  title,
  failure,
  onRetry,
  onClose,
}: {
  title: string;
  failure: StoredError;
  onRetry: () => Promise<void>;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button variant="primary" onClick={onRetry}>
            {t`Try again`}
          </Button>
        </>
      }
    >
      <p>{failure.message}</p>
      <SupportReference of={failure} />
    </Dialog>
  );
}
