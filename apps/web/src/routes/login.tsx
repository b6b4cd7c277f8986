/** `/login`: what the server says of a sign-in that did not lead in: why not, or which code proves the address. */
import { createFileRoute } from '@tanstack/react-router';
import { getSignInOutcome, type SignInOutcome } from '@vestibule/contract/sign-in';
import { useEffect, useState } from 'react';
import { ProblemDialog } from '../features/door/sign-in/problem-dialog.tsx';
import { ProofDialog } from '../features/door/sign-in/proof-dialog.tsx';
import { loadServerTexts } from '../language/language.ts';
import { describeFailure } from '../lib/call-failure.ts';
import { call } from '../lib/call.ts';
import { LoginScreen } from '../ui/shell/login-screen.tsx';

export const Route = createFileRoute('/login')({ component: Outcome, codeSplitGroupings: [] });

type State = { kind: 'asking' } | SignInOutcome | { kind: 'failed'; message: string; reference?: string };

function Outcome() {
  const { session } = Route.useRouteContext();
  const [state, setState] = useState<State>({ kind: 'asking' });
  const attempt = new URLSearchParams(window.location.search).get('attempt') ?? '';
  useEffect(() => {
    if (!attempt) window.location.replace('/');
    else
      // What the server says is told in the person's language, if its texts can be had.
      Promise.all([call(getSignInOutcome, { query: { attempt } }), loadServerTexts().catch(() => {})]).then(
        ([outcome]) => setState(outcome),
        (error: unknown) => setState({ kind: 'failed', ...describeFailure(error) }),
      );
  }, [attempt]);
  return (
    <>
      <LoginScreen
        {...(state.kind !== 'asking' && { status: '' })}
        productName={session.configuration.ProductName}
      />
      {state.kind === 'proof' && <ProofDialog proof={state} attempt={attempt} />}
      {(state.kind === 'problem' || state.kind === 'failed') && (
        <ProblemDialog
          session={session}
          problem={
            state.kind === 'problem' ? state : { ...state, values: {}, way: null, canRetry: true, code: '' }
          }
        />
      )}
    </>
  );
}
