/** Screens that the menu and the palette offer to a user: routes with `staticData`, also those of extensions. */
import { useRouter, type StaticDataRouteOption } from '@tanstack/react-router';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { useApiQuery } from './use-api-query.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface StaticDataRouteOption {
    /** Offers the screen to users who have this permission in one of their organizations, and to administrators. */
    permission?: string;
  }
}

type User = Pick<UserDetail, 'IsAdmin'> | null;

export type OfferedScreen = { to: string } & StaticDataRouteOption;

/** Returns whether the user has a permission in one of their organizations. Administrators have all permissions. */
export function useHasPermission(user: User): (permission: string | undefined) => boolean {
  const { HasOrganizations: enabled } = useRouter().options.context.session.configuration;
  const mine = useApiQuery(listMyOrganizations, { key: ['my organizations'], changesOf: 'me', enabled });
  return (permission) =>
    permission === undefined ||
    user?.IsAdmin === true ||
    (mine.data?.rows ?? []).some(({ permissions }) => permissions.includes(permission));
}

export function useOfferedScreens(user: User): OfferedScreen[] {
  const router = useRouter();
  const hasPermission = useHasPermission(user);
  const { HasOrganizations: hasOrganizations } = router.options.context.session.configuration;
  return Object.values(router.routesByPath)
    .map((route) => ({ to: route.fullPath, ...route.options.staticData }))
    .filter(({ access }) => access !== 'admin' || user?.IsAdmin === true)
    .filter(({ menu }) => menu?.needsOrganizations !== true || hasOrganizations)
    .filter(({ permission }) => hasPermission(permission));
}
