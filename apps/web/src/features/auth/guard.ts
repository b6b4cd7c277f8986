/** The guards of routes behind the door (A7, F2, F3). Convenience only: the server refuses what a role does not allow. */
import { redirect } from '@tanstack/react-router';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { dashboard, saveUrl } from './storage/return-url.ts';
import type { Session } from './session.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface StaticDataRouteOption {
    /** 'admin': only for administrators; others are sent to the dashboard. */
    access?: 'admin';
  }
}

/** What routes behind the door find in their context. */
export type SignedIn = { user: UserDetail };

/** For `beforeLoad` of a route behind the door: the signed-in person, or off to where somebody may go. */
export function requirePerson({
  context,
  location,
  matches,
}: {
  context: { session: Session };
  location: { href: string };
  matches: { staticData: { access?: 'admin' } }[];
}): SignedIn {
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
