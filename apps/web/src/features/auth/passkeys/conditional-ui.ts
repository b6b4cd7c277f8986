/** Passkeys that the address field offers by itself, for as long as it is shown. */
import type { RequestOptions } from '@vestibule/contract/sign-in/web-authn';

/** What is offered works for five minutes on the server, so it is offered anew before that. */
const renewalMilliseconds = 4 * 60_000;
/** After a failure soon, and ever later while it fails: neither a server in trouble nor a device that answers by itself is asked without end. */
const againMilliseconds = 5_000;

/**
 * Gives what begins to offer, now and after another request has come in between. `offer` says whether an answer let somebody in, or
 * null: there was none.
 */
export function offering(
  isWanted: () => boolean,
  ask: () => Promise<RequestOptions>,
  offer: (options: RequestOptions) => Promise<boolean | null>,
): () => Promise<void> {
  let next: ReturnType<typeof setTimeout>;
  let again = againMilliseconds;
  const beginIn = (milliseconds: number) => {
    clearTimeout(next);
    next = setTimeout(() => void begin(), milliseconds);
  };
  const begin = async (): Promise<void> => {
    const options = isWanted() && (await ask().catch(() => null));
    if (!isWanted()) return;
    if (options) again = againMilliseconds;
    else again *= 2;
    beginIn(options ? renewalMilliseconds : Math.min(again / 2, renewalMilliseconds));
    if (options && (await offer(options)) === false) beginIn(againMilliseconds);
  };
  return begin;
}
