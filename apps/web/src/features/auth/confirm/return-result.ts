/**
 * Result of a redirect to the provider. It is stored in the return address, so that a return with the Back button does not count as
 * success.
 */
import { t } from '@lingui/core/macro';
import { toast } from '../../../ui/toast/toast.tsx';

const parameterName = 'back';
let storedResult: string | null = null;

export function currentPathWithResult(result: 'confirmed' | 'added'): string {
  const { pathname, searchParams } = new URL(window.location.href);
  searchParams.set(parameterName, result);
  return `${pathname}?${searchParams}`;
}

export function withoutReturnResult(address: string): string {
  const { pathname, searchParams } = new URL(address, window.location.origin);
  searchParams.delete(parameterName);
  return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
}

/** Stores the result and removes it from the address. Must run before the router reads the address. */
export function captureReturnResult(): void {
  const { href } = window.location;
  storedResult = new URL(href).searchParams.get(parameterName);
  if (storedResult !== null) window.history.replaceState(window.history.state, '', withoutReturnResult(href));
}

export function showReturnResult(): void {
  const result = storedResult;
  storedResult = null;
  if (result === 'confirmed') toast.success(t`Confirmed. Now try again.`);
  if (result === 'added') toast.success(t`Added. You can now sign in with it.`);
}
