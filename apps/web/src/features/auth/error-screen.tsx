/** The last stored error in a dialog (A4), whose closing clears all storage and signs out (E1), and dialogs of other failures. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { LoginScreen } from '../../ui/shell/login-screen.tsx';
import { readStored, type StoredError } from './storage/storage.ts';

const route = getRouteApi('/error');

export function ErrorScreen() {
  const { session } = route.useRouteContext();
  const [error, setError] = useState(() => readStored('errorMessage'));
  useEffect(() => {
    if (!error) window.location.replace(window.location.origin);
  }, [error]);
  const close = () =>
    session
      .signOut(error?.isSignedOut ? { nextSignIn: { forceLogin: true } } : {})
      .catch((failure: unknown) => setError(describeFailure(failure)));
  return (
    <>
      <LoginScreen
        status=""
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
      />
      {error && (
        <Dialog
          title={error.isSignedOut ? t`Signed out` : t`Error`}
          width={800}
          onClose={close}
          actions={<CloseAction label={t`Ok`} onClose={close} />}
        >
          <p>{error.message}</p>
          <SupportReference of={error} />
        </Dialog>
      )}
    </>
  );
}

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
