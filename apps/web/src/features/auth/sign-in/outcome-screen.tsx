/** Outcome of a sign-in that failed. If it needs a mailed code instead, the screen of that step is opened. */
import { t } from '@lingui/core/macro';
import { readLinkAddress } from '@vestibule/contract/rules/link-code';
import { getSignInOutcome, type SignInOutcome } from '@vestibule/contract/sign-in';
import { useEffect, useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { CloseAction, Dialog } from '../../../ui/dialog/dialog.tsx';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { withoutReturnResult } from '../confirm/return-result.ts';
import { contactSupport, SupportReference } from '../error-screen.tsx';
import type { Session } from '../session.ts';
import { takeStored, writeStored } from '../storage/storage.ts';

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

/** The problem is shown with a button, because an automatic redirect would show the same problem again. */
const unreachableProblem = (session: Session): Problem => ({
  ...unknownProblem(session),
  message: t`The server did not respond. Try again in a minute.`,
});

export function OutcomeScreen({ session }: { session: Session }) {
  const parameters = new URLSearchParams(window.location.search);
  const attempt = parameters.get('attempt') ?? '';
  const isServerUnreachable = !attempt && parameters.get('sign-in') === 'problem';
  const isSignedOut = parameters.get('sign-in') === 'signed-out';
  const [problem, setProblem] = useState(() => (isServerUnreachable ? unreachableProblem(session) : null));
  useEffect(() => {
    // Prefills the address from the mail about a sign-in reset.
    const address = readLinkAddress(new URLSearchParams(window.location.search).get('address') ?? '');
    if (address) writeStored('nextSignIn', { forceLogin: true, address });
    // The user has signed out at an application.
    if (isSignedOut) return goHome();
    if (attempt) void loadProblem(attempt, session).then(setProblem);
    else if (!isServerUnreachable) window.location.replace('/');
  }, [attempt, isServerUnreachable, isSignedOut, session]);
  return (
    <>
      <LoginScreen
        {...(problem && { status: '' })}
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
      />
      {problem && <ProblemDialog session={session} problem={problem} />}
    </>
  );
}

/** Returns the problem to show, or null if the code step is opened. A failed call is a problem, which is shown even without a connection. */
async function loadProblem(attempt: string, session: Session): Promise<Problem | null> {
  try {
    const [outcome] = await Promise.all([
      call(getSignInOutcome, { query: { attempt } }),
      // Without these texts the server's message is shown in English.
      loadServerTexts().catch(() => {}),
    ]);
    if (outcome.kind === 'problem') return outcome;
    window.location.replace(`/login?sign-in=code&attempt=${encodeURIComponent(attempt)}`);
    return null;
  } catch (error) {
    return { ...unknownProblem(session), ...describeFailure(error) };
  }
}

/** Returns to the login screen, which waits for the user: an automatic sign-in would fail again. */
function goHome(): void {
  writeStored('nextSignIn', { forceLogin: true });
  window.location.replace('/');
}

/** Explains a failed sign-in and offers a retry, another method, or the invitation. */
function ProblemDialog({ session, problem }: { session: Session; problem: Problem }) {
  const [invitation] = useState(() => takeStored('invitationUnderWay'));
  const [migrationCode] = useState(() => takeStored('moveUnderWay'));
  const [failure, setFailure] = useState('');
  const methods = session.signInMethods();
  const method = problem.way ?? (methods.length === 1 ? methods[0] : undefined);
  const { purpose } = problem;
  const isSignedIn = purpose === 'confirm' || purpose === 'add' || purpose === 'test';

  const goBack = () => window.location.replace(withoutReturnResult(problem.returnTo));
  const retry = async () => {
    writeStored('nextSignIn', { forceLogin: true });
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
    <CloseAction label={t`Back`} onClose={goBack} />
  ) : (
    <>
      {methods.length > 1 && <Button onClick={goHome}>{t`Choose another way`}</Button>}
      {problem.canRetry ? (
        <Button variant="primary" onClick={retry}>
          {retryLabel(purpose === 'move' && migrationCode !== null, invitation !== null)}
        </Button>
      ) : (
        methods.length === 1 && <CloseAction label={t`Ok`} onClose={goHome} />
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
    case 'test':
      return t`The test failed`;
  }
}

function retryLabel(isMigration: boolean, isInvited: boolean): string {
  if (isMigration) return t`Back to the link`;
  return isInvited ? t`Back to the invitation` : t`Sign in again`;
}
