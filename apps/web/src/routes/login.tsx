/** `/login`: failed sign-ins, and links of mails about signing in. */
import { createFileRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';

const MailedCodeScreen = lazy(async () => ({
  default: (await import('../features/auth/passkeys/passkey-panel.tsx')).MailedCodeScreen,
}));
const OutcomeScreen = lazy(async () => ({
  default: (await import('../features/auth/sign-in/outcome-screen.tsx')).OutcomeScreen,
}));

export const Route = createFileRoute('/login')({ component: Login, codeSplitGroupings: [] });

function Login() {
  const { session } = Route.useRouteContext();
  const [isCode] = useState(() => new URLSearchParams(window.location.search).get('sign-in') === 'code');
  return (
    <Suspense>
      {isCode ? <MailedCodeScreen session={session} /> : <OutcomeScreen session={session} />}
    </Suspense>
  );
}
