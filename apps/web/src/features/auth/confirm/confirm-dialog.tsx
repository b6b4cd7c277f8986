/** Asks for a sign-in before something that needs a fresh one, as `sign_in.not_fresh` says. */
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
import { hereWith } from './return-result.ts';

const ConfirmHereDialog = lazy(() => import('./confirm-here-dialog.tsx'));

/** Nobody takes lasting power by a browser that was left open. */
export function FreshSignInDialog({
  session,
  onClose,
}: {
  session: Session;
  /** Whether it was confirmed in here. Whoever leaves for a provider comes back to a page that is loaded anew. */
  onClose: (isConfirmed: boolean) => void;
}) {
  const [trouble, setTrouble] = useState('');
  const inB2c = session.account();
  const leave = async () => {
    setTrouble('');
    try {
      if (inB2c) {
        saveUrl(hereWith('confirmed'));
        writeNextSignIn({ afresh: true, address: inB2c.email });
        const failure = await session.signIn();
        // Back without having signed in: nothing is confirmed.
        takeSavedUrl();
        if (failure) setTrouble(failure.message);
        return;
      }
      // By the way that their session came by.
      const { url } = await call(confirmSignIn, {
        body: { returnTo: hereWith('confirmed'), language: i18n.locale },
      });
      const failure = await session.leaveFor(async () => url);
      if (failure) setTrouble(failure.message);
    } catch (error) {
      setTrouble(describeFailure(error).message);
    }
  };
  const has = (kind: SignInMethod['kind']) => session.configuration.Ways.some((way) => way.kind === kind);
  if (has('passkeys') && !inB2c)
    return (
      <Suspense>
        <ConfirmHereDialog onClose={onClose} trouble={trouble} leave={has('oidc') ? leave : null} />
      </Suspense>
    );
  return (
    <ConfirmDialog
      title={t`Confirm that it is you`}
      confirm={t`Sign in again`}
      onConfirm={leave}
      onClose={() => onClose(false)}
    >
      <p>{t`Sign in again for this step; you will come back to this screen.`}</p>
      <div role="alert">{trouble && <p className="form-errors">{trouble}</p>}</div>
    </ConfirmDialog>
  );
}
