/** `/signup`: from an invitation link to the provider's sign-up page, and what is said on the way back (D1 to D14). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createFileRoute, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { invitationOf, type InvitationInAddress } from '../features/door/address.ts';
import { keepInvitation, takeInvitation } from '../features/door/sign-up/invitation-under-way.ts';
import {
  askForNewLink,
  exchangeCode,
  invitedEmail,
  tellCancelled,
} from '../features/door/sign-up/invite-outcome.ts';
import { CallFailure } from '../lib/call-failure.ts';
import { wayHere } from '../lib/page-return.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { LoginScreen } from '../ui/shell/login-screen.tsx';

export const Route = createFileRoute('/signup')({ component: SignUp, codeSplitGroupings: [] });

type State =
  | { kind: 'working'; status: string }
  | { kind: 'back'; invitation: InvitationInAddress }
  | { kind: 'already-signed-up' | 'invalid' | 'succeeded' | 'new-link-asked' }
  | { kind: 'expired'; code: string; trouble?: string }
  | { kind: 'failed'; message: string; reference?: string; invitation: InvitationInAddress }
  | { kind: 'sign-up-error'; message: string }
  | { kind: 'other-account'; signedInAs: string; invited: string; token: string };

function SignUp() {
  const { session } = Route.useRouteContext();
  const router = useRouter();
  const [state, setState] = useState<State>({ kind: 'working', status: t`Checking your invitation…` });
  const begun = useRef(false);
  const goHome = () => window.location.replace('/');
  /** Nobody types their address again that the invitation knew. */
  const goToSignIn = () => {
    const address = session.account()?.email;
    return session.signOut({ ...(address && { nextSignIn: { address } }) });
  };

  const begin = async (invitation: InvitationInAddress): Promise<void> => {
    setState({ kind: 'working', status: t`Checking your invitation…` });
    if ('token' in invitation) return offer(invitation.token, invitation);
    const outcome = await exchangeCode(invitation.code);
    if (outcome.kind === 'failed') return setState({ ...outcome, invitation });
    if (outcome.kind === 'expired') return setState({ kind: 'expired', code: invitation.code });
    if (outcome.kind !== 'token') return setState({ kind: outcome.kind });
    // D1 asks for the address with the token, D13 for its removal as soon as it has been read. The code stays,
    // so that the back button of the provider's page leads to the invitation and not to a sign-in.
    await router.navigate({ href: `/signup?t=${encodeURIComponent(outcome.token)}`, replace: true });
    await router.navigate({ href: `/signup?i=${encodeURIComponent(invitation.code)}`, replace: true });
    return offer(outcome.token, invitation);
  };

  /** Starts the flow, unless somebody is signed in here: then they choose (D14). */
  const offer = async (token: string, invitation: InvitationInAddress): Promise<void> => {
    const account = session.account();
    if (account)
      return setState({
        kind: 'other-account',
        signedInAs: account.email,
        invited: invitedEmail(token),
        token,
      });
    setState({ kind: 'working', status: t`Taking you to the sign-up page…` });
    keepInvitation(invitation);
    const failure = await session.signUp(token);
    setState(failure ? { kind: 'failed', ...failure, invitation: { token } } : { kind: 'back', invitation });
  };

  /** D15: what is said is the same whatever the code is worth; the mail goes to the invited address. */
  const newLink = async (code: string): Promise<void> => {
    const trouble = await askForNewLink(code);
    setState(trouble === null ? { kind: 'new-link-asked' } : { kind: 'expired', code, trouble });
  };

  /** The return from the provider. The first authenticated call redeems the invitation (D16). */
  const finish = async (): Promise<void> => {
    setState({ kind: 'working', status: t`Finishing your sign-up…` });
    try {
      await session.redeemInvitation();
    } catch (error) {
      // Without an answer from the server the invitation is redeemed at the first sign-in instead.
      if (error instanceof CallFailure && error.status === 403)
        return setState({ kind: 'sign-up-error', message: error.message });
    }
    return setState({ kind: 'succeeded' });
  };

  const enter = useEffectEvent(async (): Promise<void> => {
    const redirect = session.takeRedirect();
    if (redirect.kind === 'sign-up') {
      const underWay = takeInvitation();
      if (!redirect.error) return finish();
      // D10: whoever cancelled knows it; the invitation's timeline does not.
      if (redirect.error.kind === 'cancelled') {
        setState({ kind: 'working', status: t`Taking you back…` });
        if (underWay) await tellCancelled(underWay);
        return goHome();
      }
      return setState({
        kind: 'sign-up-error',
        message: redirect.error.said || redirect.error.message,
      });
    }
    // A token has left the address: whoever comes back or loads the page again has it from this tab's memory.
    const underWay = wayHere() === 'navigate' ? null : takeInvitation();
    const invitation = session.takeInvitation() ?? invitationOf(window.location.search) ?? underWay;
    if (!invitation) return goHome();
    if ('token' in invitation) void router.navigate({ to: '/signup', replace: true });
    return session.isBack() ? setState({ kind: 'back', invitation }) : begin(invitation);
  });

  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void enter();
  }, []);

  const { ProductName, SupportEmail } = session.configuration;
  return (
    <>
      <LoginScreen status={status()} productName={ProductName}>
        {state.kind === 'back' && (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- there is nothing else on the screen, and it has just changed
          <Button variant="primary" autoFocus onClick={() => begin(state.invitation)}>
            <Trans>Continue to sign up</Trans>
          </Button>
        )}
      </LoginScreen>
      {dialog()}
    </>
  );

  function status(): string {
    if (state.kind === 'working') return state.status;
    return state.kind === 'back' ? t`You have not signed up yet.` : '';
  }

  function dialog(): ReactNode {
    switch (state.kind) {
      case 'working':
      case 'back':
        return null;
      case 'expired':
        return (
          <Dialog
            title={t`Sign up error`}
            width={600}
            onClose={goHome}
            actions={
              <>
                <Button onClick={() => newLink(state.code)}>
                  <Trans>Send me a new link</Trans>
                </Button>
                <Button variant="primary" onClick={goHome}>
                  <Trans>Ok</Trans>
                </Button>
              </>
            }
          >
            <p>
              <Trans>Invite link is expired. {contact()}</Trans>
            </p>
            <div role="alert">{state.trouble}</div>
          </Dialog>
        );
      case 'new-link-asked':
        return notice(
          t`Check your mailbox`,
          t`Ok`,
          goHome,
          <>
            <Trans>
              If this invitation can be renewed, a new link is on its way to the address that was invited.
              Look there in a few minutes, also among the unwanted mail, and open the link in the newest mail.
              If nothing comes: {contact()}
            </Trans>
          </>,
        );
      case 'already-signed-up':
        return notice(t`Sign up error`, t`Go to Sign in`, goHome, t`User signed up already.`);
      case 'invalid':
        return notice(t`Sign up error`, t`Ok`, goHome, <Trans>Invite link is invalid. {contact()}</Trans>);
      case 'succeeded':
        return notice(t`Sign up`, t`Go to Sign in`, goToSignIn, t`Sign up successfully.`);
      case 'sign-up-error':
        return notice(t`Sign up`, t`Ok`, () => session.signOut(), t`Sign up Error. ${state.message}`);
      case 'failed':
        return (
          <Dialog
            title={t`Sign up error`}
            onClose={goHome}
            actions={
              <>
                <Button onClick={goHome}>
                  <Trans>Cancel</Trans>
                </Button>
                <Button variant="primary" onClick={() => begin(state.invitation)}>
                  <Trans>Try again</Trans>
                </Button>
              </>
            }
          >
            <p>{state.message}</p>
            {state.reference && (
              <p className="reference">
                <Trans>Reference for support: {state.reference}</Trans>
              </p>
            )}
          </Dialog>
        );
      case 'other-account':
        return (
          <Dialog
            title={t`Sign up`}
            onClose={goHome}
            actions={
              <>
                <Button onClick={goHome}>
                  <Trans>Stay signed in</Trans>
                </Button>
                <Button
                  variant="primary"
                  onClick={() => session.signOut({ invitation: `?t=${encodeURIComponent(state.token)}` })}
                >
                  {state.invited ? t`Continue as ${state.invited}` : t`Continue as the invited address`}
                </Button>
              </>
            }
          >
            <p>
              {state.invited
                ? t`You are signed in as ${state.signedInAs}. This invitation is for ${state.invited}.`
                : t`You are signed in as ${state.signedInAs}. This invitation is for another address.`}
            </p>
            <p>
              <Trans>To accept it you will be signed out first.</Trans>
            </p>
          </Dialog>
        );
    }
  }

  function contact(): ReactNode {
    return (
      <>
        <Trans>
          Please contact support at <a href={`mailto:${SupportEmail}`}>{SupportEmail}</a> with any questions.
        </Trans>
      </>
    );
  }
}

function notice(title: string, button: string, onClose: () => unknown, content: ReactNode): ReactNode {
  return (
    <Dialog
      // One notice may follow another; each starts with the focus on its button.
      key={title}
      title={title}
      width={600}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {button}
        </Button>
      }
    >
      <p>{content}</p>
    </Dialog>
  );
}
