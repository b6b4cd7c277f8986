/** Why a sign-in did not lead in, and the way on: the same way again, another one, or the invitation it came from. */
import { t } from '@lingui/core/macro';
import type { SignInOutcome } from '@vestibule/contract/sign-in';
import { useState } from 'react';
import { formatMessage } from '../../../language/format-message.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import type { Session } from '../session.ts';
import { withoutOutcome } from '../confirm/return-result.ts';
import { addressOfMove, takeMove } from '../identity-migration/pending-migration.ts';
import { takeInvitation } from '../sign-up/pending-invitation.ts';
import { writeNextSignIn } from '../storage/storage.ts';
import { contactSupport, SupportReference } from '../start-failure.tsx';

export type Problem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'kind'> & { reference?: string };

export function ProblemDialog({ session, problem }: { session: Session; problem: Problem }) {
  const [invitation] = useState(takeInvitation);
  const [move] = useState(takeMove);
  const [trouble, setTrouble] = useState('');
  const ways = session.ways();
  const way = problem.way ?? (ways.length === 1 ? ways[0] : undefined);
  const { purpose } = problem;
  const isInside = purpose === 'confirm' || purpose === 'add';

  /** The login screen begins nothing by itself: the provider would lead here again. */
  const goHome = () => {
    writeNextSignIn({ afresh: true });
    window.location.replace('/');
  };
  /** Whoever was inside still is. */
  const goBack = () => window.location.replace(withoutOutcome(problem.returnTo));
  const again = async () => {
    writeNextSignIn({ afresh: true });
    if (purpose === 'move' && move !== null) return window.location.replace(addressOfMove(move));
    if (invitation && 'code' in invitation)
      return window.location.replace(`/signup?i=${encodeURIComponent(invitation.code)}`);
    if (!way || purpose === 'move') return goHome();
    const failure = await session.signIn({ way });
    // Told right here: without a connection no other page of this site can be had.
    if (failure) setTrouble(failure.message);
    else goHome();
  };
  const actions = isInside ? (
    <Button variant="primary" onClick={goBack}>
      {t`Back`}
    </Button>
  ) : (
    <>
      {ways.length > 1 && <Button onClick={goHome}>{t`Choose another way`}</Button>}
      {problem.canRetry ? (
        <Button variant="primary" onClick={again}>
          {againText(purpose === 'move' && move !== null, invitation !== null)}
        </Button>
      ) : (
        ways.length === 1 && (
          <Button variant="primary" onClick={goHome}>
            {t`Ok`}
          </Button>
        )
      )}
    </>
  );

  return (
    <Dialog title={titleOf(purpose)} onClose={isInside ? goBack : goHome} actions={actions}>
      <p>{formatMessage(problem)}</p>
      <p>{contactSupport(session.configuration.SupportEmail)}</p>
      <div role="alert">{trouble && <p className="form-errors">{trouble}</p>}</div>
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

function againText(isMove: boolean, isInvited: boolean): string {
  if (isMove) return t`Back to the link`;
  return isInvited ? t`Back to the invitation` : t`Sign in again`;
}
