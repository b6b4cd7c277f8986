/** Sends a list with one idempotency key and retries until there is a response. */
import { routeHere } from '../../../lib/active-organization.ts';
import { createBatch, type Batch } from '@vestibule/contract/invitations/batches';
import { useEffect, useEffectEvent } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { batchBody, type InviteDraft } from './invite-draft.ts';

/** First and maximum delay between retries, in milliseconds. */
const firstRetryMilliseconds = 1_000;
const maximumRetryMilliseconds = 15_000;

export function useSending(
  draft: InviteDraft,
  callbacks: {
    onAccepted: (batch: Batch) => void;
    onRefused: (error: unknown) => void;
    onConnectionLost: () => void;
  },
): void {
  const send = useEffectEvent(async (key: string, signal: AbortSignal): Promise<void> => {
    for (
      let retryMilliseconds = firstRetryMilliseconds;
      ;
      retryMilliseconds = Math.min(2 * retryMilliseconds, maximumRetryMilliseconds)
    ) {
      try {
        const headers = { 'idempotency-key': key };
        return callbacks.onAccepted(
          await call(routeHere(createBatch), { headers, body: batchBody(draft), signal }),
        );
      } catch (error) {
        if (signal.aborted) return undefined;
        // A status below 500 means that no invitation was sent. Otherwise the result is unknown, so the retry uses the same key.
        if (error instanceof CallFailure && error.status > 0 && error.status < 500)
          return callbacks.onRefused(error);
        callbacks.onConnectionLost();
        await waitForRetry(retryMilliseconds, signal);
      }
    }
  });
  const { step, key } = draft;
  useEffect(() => {
    if (step !== 'sending' || key === null) return undefined;
    const controller = new AbortController();
    void send(key, controller.signal);
    return () => controller.abort();
  }, [step, key]);
}

/** Waits for the delay, or until the browser is online again. */
async function waitForRetry(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      window.removeEventListener('online', finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    window.addEventListener('online', finish);
    signal.addEventListener('abort', finish);
  });
}
