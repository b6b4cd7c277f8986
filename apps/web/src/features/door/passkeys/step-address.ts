/**
 * The step that waits for something from outside stands in the address: a page that is loaded again, or that a phone threw away while
 * its owner read the mail, goes on there. What is in it opens nothing in another browser.
 */

export type KeptStep = {
  /** `code`: it was mailed; `passkey`: the code was right, and a passkey is demanded. */
  step: 'code' | 'passkey';
  attempt: string;
};

export function readStep(): KeptStep | null {
  const query = new URLSearchParams(window.location.search);
  const step = query.get('sign-in');
  const attempt = query.get('attempt');
  return (step === 'code' || step === 'passkey') && attempt !== null ? { step, attempt } : null;
}

/** Null: the step that is shown begins anew. An invitation keeps its address, and the login screen has `/login` meanwhile. */
export function keepStep(kept: KeptStep | null): void {
  const address = new URL(window.location.href);
  if (address.pathname !== '/signup') address.pathname = kept ? '/login' : '/';
  address.searchParams.delete('sign-in');
  address.searchParams.delete('attempt');
  if (kept) {
    address.searchParams.set('sign-in', kept.step);
    address.searchParams.set('attempt', kept.attempt);
  }
  window.history.replaceState(window.history.state, '', address);
}
