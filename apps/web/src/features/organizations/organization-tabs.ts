/** Tabs of an organization: its routes with `staticData.organizationTab`, also those of extensions. */
import { i18n, type MessageDescriptor } from '@lingui/core';
import { useRouter } from '@tanstack/react-router';

/** `singleSignOn` is known only for the opened organization. */
type Shown = { permissions: readonly string[]; singleSignOn?: boolean };

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface StaticDataRouteOption {
    /** Tab on the screens of an organization, sorted by `order`. */
    organizationTab?: {
      label: MessageDescriptor;
      order: number;
      /** Permission that shows the tab, or several of which one suffices. Without it, every member sees it. */
      permission?: string | readonly string[];
      /** Whether the organization has the tab. Without it, every organization has. */
      isOffered?: (organization: Shown) => boolean;
    };
  }
}

type OrganizationTab = {
  id: string;
  to: string;
  label: string;
  isShown: (organization: Shown) => boolean;
};

export function useOrganizationTabs(): OrganizationTab[] {
  const router = useRouter();
  return Object.values(router.routesByPath)
    .map((route) => ({ to: route.fullPath, tab: route.options.staticData?.organizationTab }))
    .flatMap(({ to, tab }) => (tab ? [{ to, ...tab }] : []))
    .toSorted((one, other) => one.order - other.order)
    .map(({ to, label, permission, isOffered = () => true }) => ({
      id: tabOf(to) ?? '',
      to,
      label: i18n._(label),
      isShown: (organization) =>
        isOffered(organization) &&
        (permission === undefined ||
          [permission].flat().some((name) => organization.permissions.includes(name))),
    }));
}

/** Returns the tab of a path; undefined without one. */
export const tabOf = (path: string) => /^\/layout\/organization\/[^/]+\/([^/]+)/.exec(path)?.[1];
