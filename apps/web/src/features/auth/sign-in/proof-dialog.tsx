/** Asks for a mailed code: the provider has not verified the account's address, or does not report the time of authentication. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  verificationDigits,
  verifyEmail,
  resendVerificationCode,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import { useEffect, useState } from 'react';
import { formatMoment } from '../../../language/formats.ts';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useForm } from '../../../ui/fields/use-form.ts';
import { writeNextSignIn } from '../storage/storage.ts';

type Proof = Extract<SignInOutcome, { kind: 'proof' }>;

export function ProofDialog({
  proof,
  attempt,
  supportEmail,
}: {
  proof: Proof;
  attempt: string;
  supportEmail: string;
}) {
  const [resendAt, setResendAt] = useState(() => dateAfter(proof.resendInSeconds));
  const [message, setMessage] = useState('');
  const isConfirming = proof.purpose === 'confirm';
  const mayResend = useIsPast(resendAt);
  const goHome = () => {
    writeNextSignIn({ afresh: true });
    window.location.replace('/');
  };
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) =>
      digitsOf(code).length === verificationDigits
        ? {}
        : { code: t`The code has ${verificationDigits} digits.` },
    async onSubmit({ code }) {
      try {
        const { returnTo } = await call(verifyEmail, { body: { attempt, code: digitsOf(code) } });
        window.location.replace(returnTo);
        await new Promise(() => {});
      } catch (error) {
        // The reload shows the outcome.
        if (error instanceof CallFailure && error.code === 'sign_in.expired') window.location.reload();
        return { code: describeFailure(error).message };
      }
    },
  });
  const resend = async () => {
    try {
      const { resendInSeconds } = await call(resendVerificationCode, { body: { attempt } });
      setResendAt(dateAfter(resendInSeconds));
      form.set('code', '');
      setMessage(t`A new code is on its way. The previous one no longer works.`);
    } catch (error) {
      setMessage(describeFailure(error).message);
    }
  };

  return (
    <Dialog
      title={isConfirming ? t`Confirm that it is you` : t`Confirm your address`}
      onClose={goHome}
      actions={
        <>
          <Button onClick={goHome}>{t`Cancel`}</Button>
          <SubmitButton form={form}>{t`Continue`}</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <p>
          {isConfirming ? (
            t`A code is on its way to your address.`
          ) : proof.purpose === 'move' ? (
            <Trans>
              {proof.way.name} has not confirmed your address. We have sent a code to {proof.maskedEmail},
              your address here. You need it only once.
            </Trans>
          ) : (
            <Trans>
              {proof.way.name} has not confirmed your address. We have sent a code to {proof.maskedEmail}, the
              invited address. You need it only once.
            </Trans>
          )}
        </p>
        <TextField
          label={t`Code`}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          required
          {...form.text('code')}
        />
        <output>{message}</output>
        {resendAt && (
          <p>
            {mayResend ? (
              <>
                <Button size="small" onClick={resend}>
                  {t`Send a new code`}
                </Button>{' '}
                {t`Still no code? The site may be unable to send e-mail right now; it keeps trying. If the problem persists, write to ${supportEmail}.`}
              </>
            ) : (
              t`No code yet? You can request a new one at ${formatMoment(resendAt, { timeStyle: 'medium' })}.`
            )}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

/** Copied codes may contain blanks. */
const digitsOf = (code: string) => code.replaceAll(/\D/g, '');

const dateAfter = (seconds: number | null) =>
  seconds === null ? null : new Date(Date.now() + seconds * 1000);

/** Returns whether the time has passed; re-renders when it does. */
function useIsPast(moment: Date | null): boolean {
  const [past, setPast] = useState<Date | null>(null);
  useEffect(() => {
    if (!moment) return undefined;
    const timer = setTimeout(() => setPast(moment), Math.max(0, moment.getTime() - Date.now()));
    return () => clearTimeout(timer);
  }, [moment]);
  return moment !== null && past === moment;
}
