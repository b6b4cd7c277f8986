/** The screen of `/signup`: what somebody sees on the way from an invitation link to the provider's page and back. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../../ui/button.tsx';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { SignUpDialog } from './sign-up-dialog.tsx';
import { useSignUp, type SignUpState } from './use-sign-up.ts';

const route = getRouteApi('/signup');

export function SignUpScreen() {
  const { session } = route.useRouteContext();
  const signUp = useSignUp(session);
  const { state, begin } = signUp;
  return (
    <>
      <LoginScreen status={statusOf(state)} productName={session.configuration.ProductName}>
        {state.kind === 'back' && (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- there is nothing else on the screen, and it has just changed
          <Button variant="primary" autoFocus onClick={() => begin(state.invitation)}>
            <Trans>Continue to sign up</Trans>
          </Button>
        )}
      </LoginScreen>
      <SignUpDialog {...signUp} session={session} />
    </>
  );
}

function statusOf(state: SignUpState): string {
  if (state.kind === 'working') return state.status;
  return state.kind === 'back' ? t`You have not signed up yet.` : '';
}
