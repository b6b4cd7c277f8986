/** Keeps a WebAuthn conditional-UI request open while the address field is shown. */
import type { RequestOptions } from '@vestibule/contract/sign-in/web-authn';

/** The server's challenge expires after five minutes. */
const renewalMilliseconds = 4 * 60_000;
/** First retry delay; it doubles with each failure, up to `renewalMilliseconds`. */
const firstRetryMilliseconds = 5_000;

/**
 * Returns a function that (re)starts the request. `offer` resolves to true if the user is signed in, to false if the sign-in failed, and to
 * null if no passkey was used.
 */
export function createConditionalUi(
  isWanted: () => boolean,
  requestOptions: () => Promise<RequestOptions>,
  offer: (options: RequestOptions) => Promise<boolean | null>,
): () => Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  let retryMilliseconds = firstRetryMilliseconds;
  const startIn = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void start(), milliseconds);
  };
  const start = async (): Promise<void> => {
    const options = isWanted() && (await requestOptions().catch(() => null));
    if (!isWanted()) return;
    if (options) retryMilliseconds = firstRetryMilliseconds;
    else retryMilliseconds *= 2;
    startIn(options ? renewalMilliseconds : Math.min(retryMilliseconds / 2, renewalMilliseconds));
    if (options && (await offer(options)) === false) startIn(firstRetryMilliseconds);
  };
  return start;
}
