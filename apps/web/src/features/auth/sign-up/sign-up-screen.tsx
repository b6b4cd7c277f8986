/** The screen of `/signup`: from an invitation link to the provider's page and back. */
import { t } from '@lingui/core/macro';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { LetterMark } from '../../../ui/marks/letter-mark.tsx';
import { WithAddresses } from '../../../ui/person/address.tsx';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { SignUpDialog } from './sign-up-dialog.tsx';
import { useSignUp, type SignUpState } from './use-sign-up.ts';

const route = getRouteApi('/signup');
const PasskeyPanel = lazy(() => import('../passkeys/passkey-panel.tsx'));

/** Status rendered by the server (invitation-page.ts), shown until the state is known. */
const serverRenderedStatus = document.querySelector('.login-status[data-invited]')?.textContent ?? '';

export function SignUpScreen() {
  const { session } = route.useRouteContext();
  const signUp = useSignUp(session);
  const { state, start, accept } = signUp;
  const [stepStatus, setStepStatus] = useState('');
  const status = statusOf(state, session.configuration.ProductName);
  const methods = session.signInMethods().filter(({ kind }) => kind !== 'passkeys');
  const hasPasskeys = methods.length < session.signInMethods().length;
  return (
    <>
      <LoginScreen
        status={state.kind === 'open' && stepStatus ? stepStatus : status}
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
      >
        {state.kind === 'returned' && (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- there is nothing else on the screen, and it has just changed
          <Button variant="primary" autoFocus onClick={() => start(state.invitation)}>
            {t`Continue to sign up`}
          </Button>
        )}
        {state.kind === 'open' && hasPasskeys && (
          <Suspense>
            <PasskeyPanel
              session={session}
              setStatus={setStepStatus}
              load={async () => {
                const { startWithInvitation } = await import('../passkeys/invitation-step.ts');
                return (screen) => startWithInvitation(screen, state, status);
              }}
            />
          </Suspense>
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
  if (state.kind === 'open')
    return state.inviter === null
      ? t`You are invited to ${productName}.`
      : t`${state.inviter} invited you to ${productName}.`;
  if (state.kind === 'working') return serverRenderedStatus || state.status;
  return state.kind === 'returned' ? t`You have not signed up yet.` : '';
}
