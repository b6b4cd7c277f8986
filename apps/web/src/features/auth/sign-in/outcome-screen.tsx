/** Outcome of a sign-in that failed or needs an address verification. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { readLinkAddress } from '@vestibule/contract/rules/link-code';
import {
  getSignInOutcome,
  resendVerificationCode,
  verificationDigits,
  verifyEmail,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import { useEffect, useState } from 'react';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { formatMoment } from '../../../language/formats.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { useForm } from '../../../ui/fields/use-form.ts';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { withoutReturnResult } from '../confirm/return-result.ts';
import { contactSupport, SupportReference } from '../error-screen.tsx';
import type { Session } from '../session.ts';
import { takePendingInvitation, takePendingMigration, writeNextSignIn } from '../storage/storage.ts';

type Proof = Extract<SignInOutcome, { kind: 'proof' }>;

type Problem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'kind'> & { reference?: string };

/** Used if the outcome could not be loaded. A signed-in user had tried to confirm a sign-in or to add a method. */
const unknownProblem = (session: Session) =>
  ({
    code: '',
    values: {},
    way: null,
    purpose: session.user() ? 'confirm' : 'sign-in',
    returnTo: '/',
    canRetry: true,
  }) as const;

type State = { kind: 'loading' } | { kind: 'problem'; problem: Problem } | { kind: 'proof'; proof: Proof };

/** The problem is shown with a button, because an automatic redirect would show the same problem again. */
const unreachableProblem = (session: Session): State => ({
  kind: 'problem',
  problem: { ...unknownProblem(session), message: t`The server did not respond. Try again in a minute.` },
});

export function OutcomeScreen({ session }: { session: Session }) {
  const parameters = new URLSearchParams(window.location.search);
  const attempt = parameters.get('attempt') ?? '';
  const isServerUnreachable = !attempt && parameters.get('sign-in') === 'problem';
  const [state, setState] = useState<State>(
    isServerUnreachable ? unreachableProblem(session) : { kind: 'loading' },
  );
  useEffect(() => {
    // Prefills the address from the mail about a sign-in reset.
    const address = readLinkAddress(new URLSearchParams(window.location.search).get('address') ?? '');
    if (address) writeNextSignIn({ afresh: true, address });
    if (attempt) void loadOutcome(attempt, session).then(setState);
    else if (!isServerUnreachable) window.location.replace('/');
  }, [attempt, isServerUnreachable, session]);
  return (
    <>
      <LoginScreen
        {...(state.kind !== 'loading' && { status: '' })}
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
      />
      {state.kind === 'proof' && (
        <ProofDialog
          proof={state.proof}
          attempt={attempt}
          supportEmail={session.configuration.SupportEmail}
        />
      )}
      {state.kind === 'problem' && <ProblemDialog session={session} problem={state.problem} />}
    </>
  );
}

/** Returns the state to show. A failed call becomes a problem, which is shown even without a connection. */
async function loadOutcome(attempt: string, session: Session): Promise<State> {
  try {
    const [outcome] = await Promise.all([
      call(getSignInOutcome, { query: { attempt } }),
      // Without these texts the server's message is shown in English.
      loadServerTexts().catch(() => {}),
    ]);
    if (outcome.kind === 'problem') return { kind: 'problem', problem: outcome };
    if (outcome.kind === 'proven') {
      window.location.replace(`/login?sign-in=code&attempt=${encodeURIComponent(attempt)}`);
      return { kind: 'loading' };
    }
    return { kind: 'proof', proof: outcome };
  } catch (error) {
    return { kind: 'problem', problem: { ...unknownProblem(session), ...describeFailure(error) } };
  }
}

/** Returns to the login screen, which waits for the user: an automatic sign-in would fail again. */
function goHome(): void {
  writeNextSignIn({ afresh: true });
  window.location.replace('/');
}

/** Explains a failed sign-in and offers a retry, another method, or the invitation. */
function ProblemDialog({ session, problem }: { session: Session; problem: Problem }) {
  const [invitation] = useState(takePendingInvitation);
  const [migrationCode] = useState(takePendingMigration);
  const [failure, setFailure] = useState('');
  const methods = session.signInMethods();
  const method = problem.way ?? (methods.length === 1 ? methods[0] : undefined);
  const { purpose } = problem;
  const isSignedIn = purpose === 'confirm' || purpose === 'add';

  const goBack = () => window.location.replace(withoutReturnResult(problem.returnTo));
  const retry = async () => {
    writeNextSignIn({ afresh: true });
    if (purpose === 'move' && migrationCode !== null)
      return window.location.replace(`/move?m=${encodeURIComponent(migrationCode)}`);
    if (invitation && 'code' in invitation)
      return window.location.replace(`/signup?i=${encodeURIComponent(invitation.code)}`);
    if (!method || purpose === 'move') return goHome();
    const error = await session.signIn({ method });
    // Shown here, since other pages may be unreachable offline.
    if (error) setFailure(error.message);
    else goHome();
  };
  const actions = isSignedIn ? (
    <Button variant="primary" onClick={goBack}>
      {t`Back`}
    </Button>
  ) : (
    <>
      {methods.length > 1 && <Button onClick={goHome}>{t`Choose another way`}</Button>}
      {problem.canRetry ? (
        <Button variant="primary" onClick={retry}>
          {retryLabel(purpose === 'move' && migrationCode !== null, invitation !== null)}
        </Button>
      ) : (
        methods.length === 1 && (
          <Button variant="primary" onClick={goHome}>
            {t`Ok`}
          </Button>
        )
      )}
    </>
  );

  return (
    <Dialog title={titleOf(purpose)} onClose={isSignedIn ? goBack : goHome} actions={actions}>
      <p>{formatMessage(problem)}</p>
      <p>{contactSupport(session.configuration.SupportEmail)}</p>
      <div role="alert">{failure && <p className="form-errors">{failure}</p>}</div>
      <SupportReference of={problem} />
    </Dialog>
  );
}

function titleOf(purpose: Problem['purpose']): string {
  switch (purpose) {
    case 'sign-in':
      return t`You are not signed in`;
    case 'confirm':
      return t`Not confirmed`;
    case 'add':
      return t`Nothing was added`;
    case 'move':
      return t`You have not moved yet`;
  }
}

function retryLabel(isMigration: boolean, isInvited: boolean): string {
  if (isMigration) return t`Back to the link`;
  return isInvited ? t`Back to the invitation` : t`Sign in again`;
}

/** Asks for a mailed code: the provider has not verified the account's address, or does not report the time of authentication. */
function ProofDialog({
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
