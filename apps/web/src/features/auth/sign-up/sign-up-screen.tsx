/** The screen of `/signup`: from an invitation link to the provider's page and back, and the dialogs of its results (D6 to D15). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, useState, type ReactNode } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { Button } from '../../../ui/button.tsx';
import { CloseAction, Dialog } from '../../../ui/dialog/dialog.tsx';
import { LetterMark } from '../../../ui/marks/letter-mark.tsx';
import { WithAddresses } from '../../../ui/person/person.tsx';
import { LazyPart } from '../../../ui/shell/lazy-part.tsx';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { contactSupport, FailedDialog } from '../error-screen.tsx';
import type { Session } from '../session.ts';
import { useSignUp, type SignUp, type SignUpState } from './use-sign-up.ts';

const route = getRouteApi('/signup');
const PasskeyPanel = lazy(async () => ({
  default: (await import('../passkeys/passkey-panel.tsx')).PasskeyPanel,
}));

export function SignUpScreen() {
  const { session } = route.useRouteContext();
  const signUp = useSignUp(session);
  const { state, start, accept } = signUp;
  const [stepStatus, setStepStatus] = useState('');
  const status = statusOf(state, session.configuration.ProductName);
  const siteMethods = session.signInMethods().filter(({ kind }) => kind !== 'passkeys');
  const hasPasskeys = siteMethods.length < session.signInMethods().length;
  const connection = state.kind === 'open' ? state.connection : null;
  const methods = connection ? [connection, ...siteMethods] : siteMethods;
  return (
    <>
      <LoginScreen
        status={state.kind === 'open' && stepStatus ? stepStatus : status}
        productName={session.configuration.ProductName}
        logo={(state.kind === 'open' && state.organizationLogo?.path) || session.configuration.LogoUrl}
      >
        {state.kind === 'returned' && (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- there is nothing else on the screen, and it has just changed
          <Button variant="primary" autoFocus onClick={() => start(state.invitation)}>
            {t`Continue to sign up`}
          </Button>
        )}
        {state.kind === 'open' && hasPasskeys && (
          <LazyPart isCard={false} fallback={null}>
            <PasskeyPanel
              session={session}
              setStatus={setStepStatus}
              load={async () => {
                const { startWithInvitation } = await import('../passkeys/invitation-step.ts');
                return (screen) => startWithInvitation(screen, state, status);
              }}
            />
          </LazyPart>
        )}
        {state.kind === 'open' && (
          <div className="login-ways">
            {methods.map((method, index) => (
              <Button
                key={method.id}
                variant={index === 0 && !hasPasskeys ? 'primary' : 'secondary'}
                icon={<LetterMark {...method} />}
                onClick={() => accept(state, method)}
              >
                {t`Continue with ${method.name}`}
              </Button>
            ))}
            {!hasPasskeys && (
              <p className="login-status">
                <WithAddresses text={t`This invitation is for ${state.email}.`} />
              </p>
            )}
          </div>
        )}
      </LoginScreen>
      <SignUpDialog {...signUp} session={session} />
    </>
  );
}

function statusOf(state: SignUpState, productName: string): string {
  if (state.kind === 'open') {
    const place = state.organization === null ? productName : `${state.organization} (${productName})`;
    return state.inviter === null
      ? t`You are invited to ${place}.`
      : t`${state.inviter} invited you to ${place}.`;
  }
  if (state.kind === 'working') return state.status;
  return state.kind === 'returned' ? t`You have not signed up yet.` : '';
}

function SignUpDialog({
  state,
  start,
  requestLink,
  goHome,
  session,
}: SignUp & { session: Session }): ReactNode {
  const goToSignIn = () => {
    const address = session.account()?.email;
    return session.signOut({ ...(address && { nextSignIn: { address } }) }).catch(goHome);
  };
  const contact = () => contactSupport(session.configuration.SupportEmail);
  switch (state.kind) {
    case 'working':
    case 'returned':
    case 'open':
      return null;
    case 'expired':
      return (
        <Dialog
          title={t`Sign up error`}
          width={600}
          onClose={goHome}
          actions={
            <>
              <Button onClick={() => requestLink(state.code)}>{t`Send me a new link`}</Button>
              <CloseAction label={t`Ok`} onClose={goHome} />
            </>
          }
        >
          <p>
            <Trans>Invite link is expired. {contact()}</Trans>
          </p>
          <div role="alert">{state.failure}</div>
        </Dialog>
      );
    case 'link-requested':
      return notice(
        t`Check your mailbox`,
        t`Ok`,
        goHome,
        <Trans>
          If this invitation can be renewed, a new link is on its way to the invited address. Check there in a
          few minutes, including the spam folder, and open the link in the latest e-mail. If nothing arrives:{' '}
          {contact()}
        </Trans>,
      );
    case 'already-signed-up':
      return notice(t`Sign up error`, t`Go to Sign in`, goHome, t`User signed up already.`);
    case 'suspended':
      return notice(
        t`Sign up error`,
        t`Ok`,
        goHome,
        <Trans>The organization of this invitation is suspended at present. {contact()}</Trans>,
      );
    case 'invalid':
      return notice(t`Sign up error`, t`Ok`, goHome, <Trans>Invite link is invalid. {contact()}</Trans>);
    case 'succeeded':
      return notice(t`Sign up`, t`Go to Sign in`, goToSignIn, t`Sign up successfully.`);
    case 'sign-up-error':
      return notice(
        t`Sign up`,
        t`Ok`,
        () => session.signOut().catch(goHome),
        t`Sign up Error. ${state.message}`,
      );
    case 'failed':
      return (
        <FailedDialog
          title={t`Sign up error`}
          failure={state}
          onRetry={() => start(state.invitation)}
          onClose={goHome}
        />
      );
    case 'other-account':
      return <OtherAccount {...state} session={session} onStay={goHome} />;
  }
}

function OtherAccount({
  signedInAs,
  invited,
  search,
  session,
  onStay,
}: Extract<SignUp['state'], { kind: 'other-account' }> & { session: Session; onStay: () => void }) {
  const [failure, setFailure] = useState('');
  const acceptAsInvited = () =>
    session
      .signOut({ invitation: search })
      .catch((error: unknown) => setFailure(describeFailure(error).message));
  return (
    <Dialog
      title={t`Sign up`}
      onClose={onStay}
      actions={
        <>
          <Button onClick={onStay}>{t`Stay signed in`}</Button>
          <Button variant="primary" onClick={acceptAsInvited}>
            {invited ? t`Continue as ${invited}` : t`Continue as the invited address`}
          </Button>
        </>
      }
    >
      <p>
        {invited
          ? t`You are signed in as ${signedInAs}. This invitation is for ${invited}.`
          : t`You are signed in as ${signedInAs}. This invitation is for another address.`}
      </p>
      <p>{t`To accept it, you will be signed out first.`}</p>
      <div role="alert">{failure}</div>
    </Dialog>
  );
}

const notice = (title: string, button: string, onClose: () => unknown, content: ReactNode): ReactNode => (
  <Dialog
    // A new key moves the focus to the button of the next notice.
    key={title}
    title={title}
    width={600}
    onClose={onClose}
    actions={<CloseAction label={button} onClose={onClose} />}
  >
    <p>{content}</p>
  </Dialog>
);
