/** The last stored error in a dialog (A4). Closing it clears all storage and signs out (E1). */
import { t } from '@lingui/core/macro';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { readStoredError } from './storage/storage.ts';
import { SupportReference } from './start-failure.tsx';
import { describeFailure } from '../../language/call-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { LoginScreen } from '../../ui/shell/login-screen.tsx';

const route = getRouteApi('/error');

export function ErrorScreen() {
  const { session } = route.useRouteContext();
  const [error, setError] = useState(readStoredError);
  useEffect(() => {
    if (!error) window.location.replace(window.location.origin);
  }, [error]);
  const close = () =>
    session
      .signOut(error?.isSignedOut ? { nextSignIn: { afresh: true } } : {})
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
          actions={
            <Button variant="primary" onClick={close}>
              {t`Ok`}
            </Button>
          }
        >
          <p>{error.message}</p>
          <SupportReference of={error} />
        </Dialog>
      )}
    </>
  );
}
