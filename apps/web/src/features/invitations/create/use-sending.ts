/** Sends a list under one key until there is an answer, so that it is sent once however often the connection breaks. */
import { createBatch, type Batch } from '@vestibule/contract/invitations/batches';
import { useEffect, useEffectEvent } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { batchBodyOf, type InviteDraft } from './invite-draft.ts';

/** Between two attempts to send over a lost connection, in milliseconds: the first and the longest. */
const firstPause = 1_000;
const longestPause = 15_000;

/** Sends while the draft is at that step and has a key. */
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
        // With an answer below 500 the server has done nothing; without one nobody knows, so the key stays.
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

/** Waits, but no longer than until the browser has a connection again. */
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
