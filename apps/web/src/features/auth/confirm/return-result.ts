/**
 * What somebody is back from a provider with, when they had been inside all along: it stands in the address that they come back to,
 * since nothing else tells a success from the browser's Back.
 */
import { t } from '@lingui/core/macro';
import { toast } from '../../../ui/toast/toast.tsx';

type Outcome = 'confirmed' | 'added';

const name = 'back';
let outcome: string | null = null;

/** The address of this page, for coming back to it with an outcome. */
export function hereWith(done: Outcome): string {
  const { pathname, searchParams } = new URL(window.location.href);
  searchParams.set(name, done);
  return `${pathname}?${searchParams}`;
}

/** An address that the server kept for the way back, without an outcome: there is none. */
export function withoutOutcome(address: string): string {
  const { pathname, searchParams } = new URL(address, window.location.origin);
  searchParams.delete(name);
  return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
}

/** Takes the outcome out of the address, before the router reads that. */
export function takeOutcome(): void {
  const { href } = window.location;
  outcome = new URL(href).searchParams.get(name);
  if (outcome !== null) window.history.replaceState(window.history.state, '', withoutOutcome(href));
}

/** Tells it, once. */
export function tellOutcome(): void {
  const told = outcome;
  outcome = null;
  if (told === 'confirmed') toast.success(t`Confirmed. Now try again.`);
  if (told === 'added') toast.success(t`Added. You can now sign in with it.`);
}
