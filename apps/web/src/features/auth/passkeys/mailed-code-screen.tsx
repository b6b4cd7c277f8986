/** Screen for the link of a code mail, whose secret is in the fragment, and for a reload during the code step. */
import { useState } from 'react';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import type { Session } from '../session.ts';
import { createFlow } from './flow-context.ts';
import PasskeyPanel from './passkey-panel.tsx';

export default function MailedCodeScreen({ session }: { session: Session }) {
  const [status, setStatus] = useState('');
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
          if (hash.length < 2) return (screen) => resumeCode(createFlow(screen), goBack);
          const attempt = new URLSearchParams(search).get('attempt') ?? '';
          window.history.replaceState(window.history.state, '', pathname + search);
          return (screen) => startWithLink(screen, attempt, hash.slice(1), goBack);
        }}
      />
    </LoginScreen>
  );
}
