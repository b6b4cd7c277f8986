/** What waits for an administrator: told by the tab's title and icon on every screen, until they have looked. */
import { useQueryClient } from '@tanstack/react-query';
import { getPendingCount, markPendingSeen } from '@vestibule/contract/dashboard';
import { useEffect, useEffectEvent } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { setPendingCount } from '../../ui/shell/page-title.ts';

const queryKey = ['dashboard', 'waiting'];
/** Milliseconds. Events would be quicker, and hold a connection open in every tab. */
const askEvery = 60_000;

function useWaiting(): number {
  const { data } = useApiQuery(getPendingCount, {
    key: queryKey,
    refetchInterval: askEvery,
    // A tab out of sight is where the title is looked at.
    refetchIntervalInBackground: true,
  });
  return data?.mailFailed ?? 0;
}

/** Shows nothing itself; stands once behind the door. */
export function PendingCountInTitle(): null {
  const waiting = useWaiting();
  useEffect(() => setPendingCount(waiting), [waiting]);
  useEffect(() => () => setPendingCount(0), []);
  return null;
}

/** For the screen that shows what waits: as soon as it is in sight, nothing waits any more. */
export function useLooking(): void {
  const waiting = useWaiting();
  const client = useQueryClient();
  const look = useEffectEvent(async () => {
    if (document.visibilityState !== 'visible') return;
    try {
      client.setQueryData(queryKey, await call(markPendingSeen));
    } catch {
      // It goes on waiting, and is looked at again with the next answer.
    }
  });
  useEffect(() => {
    if (waiting === 0) return undefined;
    const listener = () => void look();
    listener();
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  }, [waiting]);
}
