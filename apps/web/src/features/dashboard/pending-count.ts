/** Number of unseen failed mails, shown in the tab's title and icon on every screen. */
import { useQueryClient } from '@tanstack/react-query';
import { getPendingCount, markPendingSeen } from '@vestibule/contract/dashboard';
import { useEffect, useEffectEvent } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { setPendingCount } from '../../ui/shell/page-title.ts';

const queryKey = ['dashboard', 'waiting'];
/** In milliseconds. Unlike an event stream, polling needs no open connection per tab. */
const pollMilliseconds = 60_000;

function usePendingCount(): number {
  const { data } = useApiQuery(getPendingCount, {
    key: queryKey,
    refetchInterval: pollMilliseconds,
    // The title of the tab is visible even if its page is not.
    refetchIntervalInBackground: true,
  });
  return data?.mailFailed ?? 0;
}

/** Renders nothing; mounted once for signed-in administrators. */
export function PendingCountInTitle(): null {
  const pendingCount = usePendingCount();
  useEffect(() => setPendingCount(pendingCount), [pendingCount]);
  useEffect(() => () => setPendingCount(0), []);
  return null;
}

/** Marks the failures as seen while the calling screen is visible. */
export function useMarkPendingSeen(): void {
  const pendingCount = usePendingCount();
  const client = useQueryClient();
  const look = useEffectEvent(async () => {
    if (document.visibilityState !== 'visible') return;
    try {
      client.setQueryData(queryKey, await call(markPendingSeen));
    } catch {
      // Retried after the next poll.
    }
  });
  useEffect(() => {
    if (pendingCount === 0) return undefined;
    const listener = () => void look();
    listener();
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  }, [pendingCount]);
}
