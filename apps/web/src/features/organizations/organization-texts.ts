import { plural, t } from '@lingui/core/macro';
import type { Organization } from '@vestibule/contract/organizations';

export const countOf = (count: number) => plural(count, { one: '# organization', other: '# organizations' });

export const statuses = () =>
  ({
    active: { label: t`Active`, tone: 'success' },
    suspended: { label: t`Suspended`, tone: 'danger' },
  }) as const;

/** Badge of the status. An expired organization is closed to its members like a suspended one. */
export function statusOf({ status, expiresAt }: Pick<Organization, 'status' | 'expiresAt'>, now: number) {
  const isExpired = status === 'active' && expiresAt !== null && Date.parse(expiresAt) <= now;
  return isExpired ? { label: t`Expired`, tone: 'danger' as const } : statuses()[status];
}
