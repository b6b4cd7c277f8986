/** Asks for a new sign-in when the server responds with `sign_in.not_fresh` (step-up authentication). */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { lazy, Suspense, useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { saveUrl, takeSavedUrl } from '../storage/return-url.ts';
import { writeNextSignIn } from '../storage/storage.ts';
import type { Session } from '../session.ts';
import { currentPathWithResult } from './return-result.ts';

const ConfirmHereDialog = lazy(() => import('./confirm-here-dialog.tsx'));

export function RecentSignInDialog({
  session,
  onClose,
}: {
  session: Session;
  /** Receives true after a confirmation in this dialog. A confirmation at the provider reloads the page instead. */
  onClose: (isConfirmed: boolean) => void;
}) {
  const [failure, setFailure] = useState('');
  const b2cAccount = session.account();
  const signInAgain = async () => {
    setFailure('');
    try {
      if (b2cAccount) {
        saveUrl(currentPathWithResult('confirmed'));
        writeNextSignIn({ afresh: true, address: b2cAccount.email });
        const error = await session.signIn();
        // The user returned without having signed in.
        takeSavedUrl();
        if (error) setFailure(error.message);
        return;
      }
      // The server chooses the method that started the session.
      const { url } = await call(confirmSignIn, {
        body: { returnTo: currentPathWithResult('confirmed'), language: i18n.locale },
      });
      const error = await session.navigateTo(async () => url);
      if (error) setFailure(error.message);
    } catch (error) {
      setFailure(describeFailure(error).message);
    }
  };
  const hasMethod = (kind: SignInMethod['kind']) =>
    session.configuration.Ways.some((method) => method.kind === kind);
  if (hasMethod('passkeys') && !b2cAccount)
    return (
      <Suspense>
        <ConfirmHereDialog
          onClose={onClose}
          failure={failure}
          signInAgain={hasMethod('oidc') ? signInAgain : null}
        />
      </Suspense>
    );
  return (
    <ConfirmDialog
      title={t`Confirm that it is you`}
      confirm={t`Sign in again`}
      onConfirm={signInAgain}
      onClose={() => onClose(false)}
    >
      <p>{t`Sign in again for this step; you will return to this screen.`}</p>
      <div role="alert">{failure && <p className="form-errors">{failure}</p>}</div>
    </ConfirmDialog>
  );
}
