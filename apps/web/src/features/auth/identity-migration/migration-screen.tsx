/** The screen of `/move`: accepts an identity migration by its personal link. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { getRouteApi } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { readLinkCode } from '@vestibule/contract/rules/link-code';
import { getMigrationLink, startMigration } from '@vestibule/contract/identity-migrations/link';
import { useEffect, useState } from 'react';
import { loadServerTexts } from '../../../language/language.ts';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { CloseAction, Dialog } from '../../../ui/dialog/dialog.tsx';
import { LetterMark } from '../../../ui/marks/letter-mark.tsx';
import { WithAddresses } from '../../../ui/person/person.tsx';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import { contactSupport, FailedDialog } from '../error-screen.tsx';
import { writeStored } from '../storage/storage.ts';

const route = getRouteApi('/move');

type State =
  | { kind: 'loading' | 'ended' }
  | { kind: 'open'; method: SignInMethod; email: string }
  | { kind: 'moved'; method: SignInMethod }
  | { kind: 'failed'; message: string; reference?: string };

export function IdentityMigrationScreen() {
  const { session } = route.useRouteContext();
  const [state, setState] = useState<State>({ kind: 'loading' });
  const code = readLinkCode(new URLSearchParams(window.location.search).get('m') ?? '');
  const { ProductName, LogoUrl } = session.configuration;

  useEffect(() => {
    void loadLinkState(code).then(setState);
  }, [code]);

  const start = async () => {
    writeStored('moveUnderWay', code);
    deleteB2cAccounts();
    const failure = await session.navigateTo(async () => {
      const { url } = await call(startMigration, { body: { code, language: i18n.locale } });
      return url;
    });
    // The user has returned from the provider; the link's state may have changed.
    setState(failure ? { kind: 'failed', ...failure } : await loadLinkState(code));
  };

  return (
    <>
      <LoginScreen status={statusOf(state, ProductName)} productName={ProductName} logo={LogoUrl}>
        {state.kind === 'open' && (
          <div className="login-ways">
            <Button variant="primary" icon={<LetterMark {...state.method} />} onClick={start}>
              {t`Continue with ${state.method.name}`}
            </Button>
            <p className="login-status">
              <WithAddresses text={t`This link is for ${state.email}.`} />
            </p>
          </div>
        )}
      </LoginScreen>
      <MigrationDialog
        state={state}
        supportEmail={session.configuration.SupportEmail}
        onRetry={async () => setState(await loadLinkState(code))}
      />
    </>
  );
}

function statusOf(state: State, product: string): string {
  if (state.kind === 'loading') return t`Checking your link…`;
  if (state.kind !== 'open') return '';
  const provider = state.method.name;
  return t`${product} is moving to ${provider}. From now on, sign in there. Your role, files and history stay the same.`;
}

function MigrationDialog({
  state,
  supportEmail,
  onRetry,
}: {
  state: State;
  supportEmail: string;
  onRetry: () => Promise<void>;
}) {
  const goHome = () => window.location.replace('/');
  if (state.kind === 'loading' || state.kind === 'open') return null;
  if (state.kind === 'failed')
    return <FailedDialog title={t`This did not work`} failure={state} onRetry={onRetry} onClose={goHome} />;
  return (
    <Dialog
      title={state.kind === 'moved' ? t`You have already moved` : t`This link has ended`}
      onClose={goHome}
      actions={<CloseAction label={t`Go to Sign in`} onClose={goHome} />}
    >
      <p>
        {state.kind === 'moved'
          ? t`You now sign in with ${state.method.name}. You no longer need this link.`
          : t`This link no longer works, or was cut off in the e-mail. Sign in as before, or ask an administrator for a new one.`}
      </p>
      <p>{contactSupport(supportEmail)}</p>
    </Dialog>
  );
}

async function loadLinkState(code: string): Promise<State> {
  try {
    const { state, way, email } = await call(getMigrationLink, { body: { code } });
    if (state === 'open' && way) return { kind: 'open', method: way, email: email ?? '' };
    return state === 'moved' && way ? { kind: 'moved', method: way } : { kind: 'ended' };
  } catch (error) {
    if (error instanceof CallFailure && error.code === 'request.invalid') return { kind: 'ended' };
    await loadServerTexts().catch(() => {});
    return { kind: 'failed', ...describeFailure(error) };
  }
}

/** A remaining B2C account would take precedence over the server session after the migration. */
function deleteB2cAccounts(): void {
  for (const name of Object.keys(window.localStorage))
    if (name.startsWith('msal.')) window.localStorage.removeItem(name);
}
