/** React component around the passkey and code steps, whose code is loaded on mount. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { readSavedUrl, takeSavedUrl } from '../storage/return-url.ts';
import type { Session } from '../session.ts';
import type { FlowScreen } from './flow-context.ts';

export default function PasskeyPanel({
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
