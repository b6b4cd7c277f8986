/** The steps of passkeys and codes in a screen of React's; their program is loaded when it is shown. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { readSavedUrl, takeSavedUrl } from '../storage/return-url.ts';
import type { Session } from '../session.ts';
import type { Around } from './flow-context.ts';

export default function PasskeyPanel({
  session,
  say,
  load,
}: {
  session: Session;
  /** Shows the sentence of each step. */
  say: (sentence: string) => void;
  /** Fetches what shows the first step. */
  load: () => Promise<(around: Around) => unknown>;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [trouble, setTrouble] = useState('');
  const router = useRouter();
  const open = useEffectEvent(async () => {
    const show = await load();
    if (!place.current) return;
    await show({
      place: place.current,
      say,
      returnTo: readSavedUrl(),
      supportEmail: session.configuration.SupportEmail,
      async inside(returnTo) {
        await session.loadUser();
        takeSavedUrl();
        await router.navigate({ href: returnTo, replace: true });
      },
    });
  });
  useEffect(() => {
    open().catch((error: unknown) => setTrouble(describeFailure(error).message));
  }, []);
  return (
    <>
      <div className="login-panel" ref={place} />
      <div role="alert">{trouble}</div>
    </>
  );
}
