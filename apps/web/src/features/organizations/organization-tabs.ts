/** Screens of an organization, in order. */
import { t } from '@lingui/core/macro';

/** `permission`: needed to see the tab; null if every member sees it. */
export const organizationTabs = () =>
  [
    {
      id: 'members',
      to: '/layout/organization/$slug/members',
      label: t`Members`,
      permission: 'members.read',
    },
    {
      id: 'invitations',
      to: '/layout/organization/$slug/invitations',
      label: t`Invitations`,
      permission: 'invitations.read',
    },
    {
      id: 'domains',
      to: '/layout/organization/$slug/domains',
      label: t`Domains`,
      permission: 'domains.write',
    },
    {
      id: 'activity',
      to: '/layout/organization/$slug/activity',
      label: t`Activity`,
      permission: 'activity.read',
    },
    { id: 'about', to: '/layout/organization/$slug/about', label: t`About`, permission: null },
  ] as const;

/** Returns the tab of a path; undefined without one. */
export const tabOf = (path: string) => /^\/layout\/organization\/[^/]+\/([^/]+)/.exec(path)?.[1];
