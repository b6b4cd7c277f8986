/** Sends a list with one idempotency key and retries until there is a response. */
import { createBatch, type Batch } from '@vestibule/contract/invitations/batches';
import { useEffect, useEffectEvent } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { batchBodyOf, type InviteDraft } from './invite-draft.ts';

/** First and maximum delay between retries, in milliseconds. */
const firstPause = 1_000;
const longestPause = 15_000;

export function useSending(
  draft: InviteDraft,
  tell: { accepted: (batch: Batch) => void; refused: (error: unknown) => void; lost: () => void },
): void {
  const send = useEffectEvent(async (key: string, signal: AbortSignal): Promise<void> => {
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        const headers = { 'idempotency-key': key };
        return tell.accepted(await call(createBatch, { headers, body: batchBodyOf(draft), signal }));
      } catch (error) {
        if (signal.aborted) return undefined;
        // A response below 500 means that nothing was sent. Otherwise the result is unknown, so the key is kept.
        if (error instanceof CallFailure && error.status > 0 && error.status < 500)
          return tell.refused(error);
        tell.lost();
        await pauseOrConnection(pause, signal);
      }
    }
  });
  const { step, key } = draft;
  useEffect(() => {
    if (step !== 'sending' || key === null) return undefined;
    const leaving = new AbortController();
    void send(key, leaving.signal);
    return () => leaving.abort();
  }, [step, key]);
}

/** Waits for the delay, or until the browser is online again. */
async function pauseOrConnection(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, milliseconds);
    window.addEventListener('online', go);
    signal.addEventListener('abort', go);
  });
}
