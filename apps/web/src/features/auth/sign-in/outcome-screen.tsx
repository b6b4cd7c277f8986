/** What the server says of a sign-in that did not lead in: why not, or which code proves the address. */
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

/** Of a sign-in that could not be asked for. Whoever was inside still is: they wanted to confirm, or to add a way. */
const unknown = (session: Session) =>
  ({
    code: '',
    values: {},
    way: null,
    purpose: session.user() ? 'confirm' : 'sign-in',
    returnTo: '/',
    canRetry: true,
  }) as const;

type State =
  | { kind: 'asking' }
  | { kind: 'problem'; problem: Problem }
  | { kind: 'proof'; dialog: ReactNode };

/** The server itself could not say what became of it: going on by itself would lead here again. */
const untold = (session: Session): State => ({
  kind: 'problem',
  problem: { ...unknown(session), message: t`The server did not respond. Try again in a minute.` },
});

export function OutcomeScreen({ session }: { session: Session }) {
  const parameters = new URLSearchParams(window.location.search);
  const attempt = parameters.get('attempt') ?? '';
  const isUntold = !attempt && parameters.get('sign-in') === 'problem';
  const [state, setState] = useState<State>(isUntold ? untold(session) : { kind: 'asking' });
  useEffect(() => {
    // Of somebody whose sign-in was reset: they begin anew, and type nothing that the mail knew.
    const address = readLinkAddress(new URLSearchParams(window.location.search).get('address') ?? '');
    if (address) writeNextSignIn({ afresh: true, address });
    if (attempt) void ask(attempt, session).then(setState);
    else if (!isUntold) window.location.replace('/');
  }, [attempt, isUntold, session]);
  return (
    <>
      <LoginScreen
        {...(state.kind !== 'asking' && { status: '' })}
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
      />
      {state.kind === 'proof' && state.dialog}
      {state.kind === 'problem' && <ProblemDialog session={session} problem={state.problem} />}
    </>
  );
}

/** Asks the server. A problem is told without anything else of this site's: there may be no connection. */
async function ask(attempt: string, session: Session): Promise<State> {
  try {
    const [outcome] = await Promise.all([
      call(getSignInOutcome, { query: { attempt } }),
      // What the server says is told in the person's language, if its texts can be had.
      loadServerTexts().catch(() => {}),
    ]);
    if (outcome.kind === 'problem') return { kind: 'problem', problem: outcome };
    if (outcome.kind === 'proven') {
      window.location.replace(`/login?sign-in=code&attempt=${encodeURIComponent(attempt)}`);
      return { kind: 'asking' };
    }
    const { ProofDialog } = await import('./proof-dialog.tsx');
    return {
      kind: 'proof',
      dialog: (
        <ProofDialog proof={outcome} attempt={attempt} supportEmail={session.configuration.SupportEmail} />
      ),
    };
  } catch (error) {
    return { kind: 'problem', problem: { ...unknown(session), ...describeFailure(error) } };
  }
}
