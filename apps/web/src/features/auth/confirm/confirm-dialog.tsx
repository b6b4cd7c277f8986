/** Asks for a new sign-in when the server responds with `sign_in.not_fresh` (step-up authentication). */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { verificationDigits } from '@vestibule/contract/sign-in';
import {
  confirmByCode,
  confirmByPasskey,
  startCodeConfirmation,
  startPasskeyConfirmation,
} from '@vestibule/contract/sign-in/confirm';
import { listMyPasskeys } from '@vestibule/contract/sign-in/passkeys';
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { PasskeyFailure, passkeyUnavailableReason, requestPasskey } from '../../../lib/sign-in/passkeys.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { useForm } from '../../../ui/fields/use-form.ts';
import { readDigits } from '../read-digits.ts';
import type { Session } from '../session.ts';
import { saveUrl, takeSavedUrl } from '../storage/return-url.ts';
import { writeStored } from '../storage/storage.ts';
import { currentPathWithResult } from './return-result.ts';

export function RecentSignInDialog({
  session,
  onClose,
}: {
  session: Session;
  /** Receives true after a confirmation in this dialog. A confirmation at the provider reloads the page instead. */
  onClose: (isConfirmed: boolean) => void;
}) {
  const [attempt, setAttempt] = useState<string | null>(null);
  const [failure, setFailure] = useState('');
  const hasMethod = (kind: SignInMethod['kind']) =>
    session.configuration.Ways.some((method) => method.kind === kind);
  const passkeys = useApiQuery(listMyPasskeys, { key: ['my-passkeys'], enabled: hasMethod('passkeys') });
  const hasPasskey = (passkeys.data?.rows.length ?? 0) > 0;
  const queryClient = useQueryClient();
  const finish = () => {
    // The session was replaced; preview links are bound to the previous one.
    queryClient.removeQueries({ queryKey: ['preview-link'] });
    onClose(true);
  };
  const runWithErrors = async (run: () => Promise<void>) => {
    setFailure('');
    try {
      await run();
    } catch (error) {
      setFailure(error instanceof PasskeyFailure ? error.message : describeFailure(error).message);
    }
  };
  const usePasskey = () =>
    runWithErrors(async () => {
      const options = await call(startPasskeyConfirmation, { body: {} });
      await call(confirmByPasskey, { body: { response: await requestPasskey(options) } });
      finish();
    });
  const mailCode = () =>
    runWithErrors(async () => setAttempt((await call(startCodeConfirmation, { body: {} })).attempt));
  const signInAgain = () => runWithErrors(async () => setFailure(await redirectToProvider(session)));
  const form = useForm({
    initial: { code: '' },
    async onSubmit({ code }) {
      const digits = readDigits(code);
      if (digits.length !== verificationDigits)
        return { code: t`The code has ${verificationDigits} digits.` };
      try {
        await call(confirmByCode, { body: { attempt: attempt ?? '', code: digits } });
        finish();
        return undefined;
      } catch (error) {
        return { code: describeFailure(error).message };
      }
    },
  });
  const alert = <div role="alert">{failure && <p className="form-errors">{failure}</p>}</div>;
  if (!hasMethod('passkeys') || session.account())
    return (
      <ConfirmDialog
        title={t`Confirm that it is you`}
        confirm={t`Sign in again`}
        onConfirm={signInAgain}
        onClose={() => onClose(false)}
      >
        <p>{t`Sign in again for this step; you will return to this screen.`}</p>
        {alert}
      </ConfirmDialog>
    );
  return (
    <Dialog
      title={t`Confirm that it is you`}
      width={520}
      onClose={() => onClose(false)}
      actions={
        attempt === null ? (
          <>
            <Button onClick={mailCode}>{t`E-mail me a code`}</Button>
            {hasMethod('oidc') && <Button onClick={signInAgain}>{t`Sign in again`}</Button>}
            {hasPasskey && passkeyUnavailableReason() === null && (
              <Button variant="primary" onClick={usePasskey}>
                {t`Use a passkey`}
              </Button>
            )}
          </>
        ) : (
          <SubmitButton form={form}>{t`Continue`}</SubmitButton>
        )
      }
    >
      {attempt === null ? (
        <p>{t`You signed in a while ago. Confirm that it is you to continue.`}</p>
      ) : (
        <Form form={form}>
          <p>{t`A code is on its way to your address.`}</p>
          <TextField
            label={t`Code`}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            required
            {...form.text('code')}
          />
        </Form>
      )}
      {alert}
    </Dialog>
  );
}

/** Asks the provider for a new sign-in. Returns the error to show; empty if the user returned without having signed in. */
async function redirectToProvider(session: Session): Promise<string> {
  const b2cAccount = session.account();
  if (b2cAccount) {
    saveUrl(currentPathWithResult('confirmed'));
    writeStored('nextSignIn', { forceLogin: true, address: b2cAccount.email });
    const error = await session.signIn();
    takeSavedUrl();
    return error?.message ?? '';
  }
  // The server chooses the method that started the session.
  const { url } = await call(confirmSignIn, {
    body: { returnTo: currentPathWithResult('confirmed'), language: i18n.locale },
  });
  return (await session.navigateTo(async () => url))?.message ?? '';
}
