/** The screen of `/move`: where somebody signs in from now on, for whoever has the personal link from the mail. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { readLinkCode } from '@vestibule/contract/rules/link-code';
import { getMigrationLink, startMigration } from '@vestibule/contract/identity-migrations/link';
import { useEffect, useState } from 'react';
import { loadServerTexts } from '../../../language/language.ts';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { LetterMark } from '../../../ui/marks/letter-mark.tsx';
import { WithAddresses } from '../../../ui/person/address.tsx';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { contactSupport, FailedDialog } from '../start-failure.tsx';
import { keepMove } from './pending-migration.ts';

const route = getRouteApi('/move');

type State =
  | { kind: 'looking' | 'ended' }
  | { kind: 'open'; way: SignInMethod; email: string }
  | { kind: 'moved'; way: SignInMethod }
  | { kind: 'failed'; message: string; reference?: string };

export function IdentityMigrationScreen() {
  const { session } = route.useRouteContext();
  const [state, setState] = useState<State>({ kind: 'looking' });
  const code = readLinkCode(new URLSearchParams(window.location.search).get('m') ?? '');
  const { ProductName, LogoUrl } = session.configuration;

  useEffect(() => {
    void lookAt(code).then(setState);
  }, [code]);

  const begin = async () => {
    keepMove(code);
    forgetB2c();
    const failure = await session.leaveFor(async () => {
      const { url } = await call(startMigration, { body: { code, language: i18n.locale } });
      return url;
    });
    // Without a failure they are back from the provider's page; what the link leads to may be something else by now.
    setState(failure ? { kind: 'failed', ...failure } : await lookAt(code));
  };

  return (
    <>
      <LoginScreen status={statusOf(state, ProductName)} productName={ProductName} logo={LogoUrl}>
        {state.kind === 'open' && (
          <div className="login-ways">
            <Button variant="primary" icon={<LetterMark {...state.way} />} onClick={begin}>
              {t`Continue with ${state.way.name}`}
            </Button>
            <p className="login-status">
              <WithAddresses text={t`This link is for ${state.email}.`} />
            </p>
          </div>
        )}
      </LoginScreen>
      <MoveDialog
        state={state}
        supportEmail={session.configuration.SupportEmail}
        onRetry={async () => setState(await lookAt(code))}
      />
    </>
  );
}

function statusOf(state: State, product: string): string {
  if (state.kind === 'looking') return t`Checking your link…`;
  if (state.kind !== 'open') return '';
  const provider = state.way.name;
  return t`${product} is moving to ${provider}. From now on, sign in there. Your role, files and history stay the same.`;
}

function MoveDialog({
  state,
  supportEmail,
  onRetry,
}: {
  state: State;
  supportEmail: string;
  onRetry: () => Promise<void>;
}) {
  const goHome = () => window.location.replace('/');
  const toSignIn = (
    <Button variant="primary" onClick={goHome}>
      {t`Go to Sign in`}
    </Button>
  );
  switch (state.kind) {
    case 'looking':
    case 'open':
      return null;
    case 'moved':
      return (
        <Dialog title={t`You have already moved`} onClose={goHome} actions={toSignIn}>
          <p>{t`You now sign in with ${state.way.name}. You no longer need this link.`}</p>
          <p>{contactSupport(supportEmail)}</p>
        </Dialog>
      );
    case 'ended':
      return (
        <Dialog title={t`This link has ended`} onClose={goHome} actions={toSignIn}>
          <p>
            <Trans>
              This link no longer works, or was cut off in the e-mail. Sign in as before, or ask an
              administrator for a new one.
            </Trans>
          </p>
          <p>{contactSupport(supportEmail)}</p>
        </Dialog>
      );
    case 'failed':
      return <FailedDialog title={t`This did not work`} failure={state} onRetry={onRetry} onClose={goHome} />;
  }
}

/** What a link leads to. What the server says of a failure is told in the person's language, if its texts can be had. */
async function lookAt(code: string): Promise<State> {
  try {
    const { state, way, email } = await call(getMigrationLink, { body: { code } });
    if (state === 'open' && way) return { kind: 'open', way, email: email ?? '' };
    return state === 'moved' && way ? { kind: 'moved', way } : { kind: 'ended' };
  } catch (error) {
    if (error instanceof CallFailure && error.code === 'request.invalid') return { kind: 'ended' };
    await loadServerTexts().catch(() => {});
    return { kind: 'failed', ...describeFailure(error) };
  }
}

/** Whoever moves away from B2C comes back with a session, which the library's account would stand in the way of. */
function forgetB2c(): void {
  for (const name of Object.keys(window.localStorage))
    if (name.startsWith('msal.')) window.localStorage.removeItem(name);
}
