/** Of the link in the mail of a code, which stands behind the `#`, so that nothing but this page sees it; and of a page that is loaded again while a code is waited for. */
import { useState } from 'react';
import { LoginScreen } from '../../../ui/shell/login-screen.tsx';
import type { Session } from '../session.ts';
import { flowIn } from './flow-context.ts';
import PasskeyPanel from './passkey-panel.tsx';

export default function MailedCodeScreen({ session }: { session: Session }) {
  const [status, say] = useState('');
  return (
    <LoginScreen
      status={status}
      productName={session.configuration.ProductName}
      logo={session.configuration.LogoUrl}
    >
      <PasskeyPanel
        session={session}
        say={say}
        load={async () => {
          const { beginWithCode, resumeCode } = await import('./code-step.ts');
          const { hash, pathname, search } = window.location;
          const back = () => window.location.replace('/');
          if (hash.length < 2) return (around) => resumeCode(flowIn(around), back);
          const attempt = new URLSearchParams(search).get('attempt') ?? '';
          window.history.replaceState(window.history.state, '', pathname + search);
          return (around) => beginWithCode(around, attempt, hash.slice(1), back);
        }}
      />
    </LoginScreen>
  );
}
