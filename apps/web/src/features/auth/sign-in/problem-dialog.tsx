/** Explains a failed sign-in and offers a retry, another method, or the invitation. */
import { t } from '@lingui/core/macro';
import type { SignInOutcome } from '@vestibule/contract/sign-in';
import { useState } from 'react';
import { formatMessage } from '../../../language/format-message.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import type { Session } from '../session.ts';
import { withoutReturnResult } from '../confirm/return-result.ts';
import { migrationPath, takePendingMigration } from '../identity-migration/pending-migration.ts';
import { takePendingInvitation } from '../sign-up/pending-invitation.ts';
import { writeNextSignIn } from '../storage/storage.ts';
import { contactSupport, SupportReference } from '../start-failure.tsx';

export type Problem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'kind'> & { reference?: string };

export function ProblemDialog({ session, problem }: { session: Session; problem: Problem }) {
  const [invitation] = useState(takePendingInvitation);
  const [migrationCode] = useState(takePendingMigration);
  const [failure, setFailure] = useState('');
  const methods = session.signInMethods();
  const method = problem.way ?? (methods.length === 1 ? methods[0] : undefined);
  const { purpose } = problem;
  const isSignedIn = purpose === 'confirm' || purpose === 'add';

  /** An automatic sign-in would fail again. */
  const goHome = () => {
    writeNextSignIn({ afresh: true });
    window.location.replace('/');
  };
  const goBack = () => window.location.replace(withoutReturnResult(problem.returnTo));
  const retry = async () => {
    writeNextSignIn({ afresh: true });
    if (purpose === 'move' && migrationCode !== null)
      return window.location.replace(migrationPath(migrationCode));
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
