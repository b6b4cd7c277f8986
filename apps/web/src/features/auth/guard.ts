/** Route guards (A7, F2, F3). For convenience only: the server enforces access. */
import { redirect } from '@tanstack/react-router';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { dashboard, saveUrl } from './storage/return-url.ts';
import type { Session } from './session.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface StaticDataRouteOption {
    /** 'admin': administrators only; other users are redirected to the dashboard. */
    access?: 'admin';
  }
}

/** Router context of routes for signed-in users. */
export type SignedInContext = { user: UserDetail };

/** Returns the signed-in user for `beforeLoad`. Redirects if no user is signed in or the user lacks the required role. */
export function requireUser({
  context,
  location,
  matches,
}: {
  context: { session: Session };
  location: { href: string };
  matches: { staticData: { access?: 'admin' } }[];
}): SignedInContext {
  const user = context.session.user();
  if (!user) {
    saveUrl(location.href);
    throw redirect({ to: '/', replace: true, reloadDocument: true });
  }
  // oxlint-disable-next-line typescript/no-unnecessary-boolean-literal-compare -- F2: IsAdmin must be true, not truthy
  if (matches.some(({ staticData }) => staticData.access === 'admin') && user.IsAdmin !== true)
    throw redirect({ to: dashboard, replace: true });
  return { user };
}
