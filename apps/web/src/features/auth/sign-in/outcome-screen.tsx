/** Outcome of a sign-in that failed or needs an address verification. */
import { readLinkAddress } from '@vestibule/contract/rules/link-code';
import { t } from '@lingui/core/macro';
import { getSignInOutcome } from '@vestibule/contract/sign-in';
import { useEffect, useState, type ReactNode } from 'react';
import { ProblemDialog, type Problem } from './problem-dialog.tsx';
import { writeNextSignIn } from '../storage/storage.ts';
import type { Session } from '../session.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';

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

type State =
  | { kind: 'loading' }
  | { kind: 'problem'; problem: Problem }
  | { kind: 'proof'; dialog: ReactNode };

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
      {state.kind === 'proof' && state.dialog}
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
    const { ProofDialog } = await import('./proof-dialog.tsx');
    return {
      kind: 'proof',
      dialog: (
        <ProofDialog proof={outcome} attempt={attempt} supportEmail={session.configuration.SupportEmail} />
      ),
    };
  } catch (error) {
    return { kind: 'problem', problem: { ...unknownProblem(session), ...describeFailure(error) } };
  }
}
