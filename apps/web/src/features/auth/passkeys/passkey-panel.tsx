/** React components around the passkey and code steps, whose code is loaded on mount. */
import { t } from '@lingui/core/macro';
import { getSignInOutcome } from '@vestibule/contract/sign-in';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import type { Session } from '../session.ts';
import { readSavedUrl, takeSavedUrl } from '../storage/return-url.ts';
import { createFlow, type FlowScreen } from './flow.ts';

export function PasskeyPanel({
  session,
  setStatus,
  load,
}: {
  session: Session;
  setStatus: (sentence: string) => void;
  load: () => Promise<(screen: FlowScreen) => unknown>;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState('');
  const router = useRouter();
  const showFirstStep = useEffectEvent(async () => {
    const show = await load();
    if (!container.current) return;
    await show({
      container: container.current,
      setStatus,
      returnTo: readSavedUrl(),
      supportEmail: session.configuration.SupportEmail,
      async onSignedIn(returnTo) {
        await session.loadUser();
        takeSavedUrl();
        await router.navigate({ href: returnTo, replace: true });
      },
    });
  });
  useEffect(() => {
    showFirstStep().catch((error: unknown) => setFailure(describeFailure(error).message));
  }, []);
  return (
    <>
      <div className="login-panel" ref={container} />
      <div role="alert">{failure}</div>
    </>
  );
}

/** Screen for the link of a code mail, whose secret is in the fragment, and for a reload during the code step. */
export function MailedCodeScreen({ session }: { session: Session }) {
  const [status, setStatus] = useState(() => t`Loading…`);
  const router = useRouter();
  return (
    <LoginScreen
      status={status}
      productName={session.configuration.ProductName}
      logo={session.configuration.LogoUrl}
    >
      <PasskeyPanel
        session={session}
        setStatus={setStatus}
        load={async () => {
          const { startWithLink, resumeCode } = await import('./code-step.ts');
          const { hash, pathname, search } = window.location;
          const goBack = () => window.location.replace('/');
          const attempt = new URLSearchParams(search).get('attempt') ?? '';
          // The link was opened before, or the code was entered in another tab.
          if ((await session.findUser()) && (await hasExpired(attempt)))
            return () => router.navigate({ href: takeSavedUrl(), replace: true });
          if (hash.length < 2) return (screen) => resumeCode(createFlow(screen), goBack);
          window.history.replaceState(window.history.state, '', pathname + search);
          return (screen) => startWithLink(screen, attempt, hash.slice(1), goBack);
        }}
      />
    </LoginScreen>
  );
}

async function hasExpired(attempt: string): Promise<boolean> {
  const outcome = await call(getSignInOutcome, { query: { attempt } });
  return outcome.kind === 'problem' && outcome.code === 'sign_in.expired';
}
