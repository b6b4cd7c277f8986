/** The screen of `/signup`: what somebody sees on the way from an invitation link to the provider's page and back. */
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

/** What the page said of the invitation from its first byte (invitation-page.ts of the server); it stays until there is more to say. */
const saidAtFirst = document.querySelector('.login-status[data-invited]')?.textContent ?? '';

export function SignUpScreen() {
  const { session } = route.useRouteContext();
  const signUp = useSignUp(session);
  const { state, begin, accept } = signUp;
  const [said, setSaid] = useState('');
  const status = statusOf(state, session.configuration.ProductName);
  const ways = session.ways().filter(({ kind }) => kind !== 'passkeys');
  const isHere = ways.length < session.ways().length;
  return (
    <>
      <LoginScreen
        status={state.kind === 'offered' && said ? said : status}
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
      >
        {state.kind === 'back' && (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- there is nothing else on the screen, and it has just changed
          <Button variant="primary" autoFocus onClick={() => begin(state.invitation)}>
            {t`Continue to sign up`}
          </Button>
        )}
        {state.kind === 'offered' && isHere && (
          <Suspense>
            <PasskeyPanel
              session={session}
              say={setSaid}
              load={async () => {
                const { beginWithInvitation } = await import('../passkeys/invitation-step.ts');
                return (around) => beginWithInvitation(around, state, status);
              }}
            />
          </Suspense>
        )}
        {state.kind === 'offered' && (
          <div className="login-ways">
            {ways.map((way, index) => (
              <Button
                key={way.id}
                variant={index === 0 && !isHere ? 'primary' : 'secondary'}
                icon={<LetterMark {...way} />}
                onClick={() => accept(state, way)}
              >
                {t`Continue with ${way.name}`}
              </Button>
            ))}
            {!isHere && (
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
  if (state.kind === 'offered')
    return state.inviter === null
      ? t`You are invited to ${productName}.`
      : t`${state.inviter} invited you to ${productName}.`;
  if (state.kind === 'working') return saidAtFirst || state.status;
  return state.kind === 'back' ? t`You have not signed up yet.` : '';
}
