/** `/login`: failed sign-ins, and links of mails about signing in. */
import { createFileRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { OutcomeScreen } from '../features/auth/sign-in/outcome-screen.tsx';

const MailedCodeScreen = lazy(async () => ({
  default: (await import('../features/auth/passkeys/passkey-panel.tsx')).MailedCodeScreen,
}));

export const Route = createFileRoute('/login')({ component: Login, codeSplitGroupings: [] });

function Login() {
  const { session } = Route.useRouteContext();
  const [isCode] = useState(() => new URLSearchParams(window.location.search).get('sign-in') === 'code');
  if (!isCode) return <OutcomeScreen session={session} />;
  return (
    <Suspense>
      <MailedCodeScreen session={session} />
    </Suspense>
  );
}
