import { plural, t } from '@lingui/core/macro';
import { getOrganization } from '@vestibule/contract/organizations';
import { activeOrganization } from '../../../lib/active-organization.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';

/** Warns if more people are being invited than the organization has free seats. */
export function SeatNote({ invited }: { invited: number }) {
  const { organizationId = '' } = activeOrganization() ?? {};
  const { data } = useApiQuery(getOrganization, {
    key: ['organization', organizationId],
    params: { organizationId },
    enabled: organizationId !== '',
  });
  const { seatLimit = null, memberCount = 0 } = data ?? {};
  if (seatLimit === null) return null;
  const free = Math.max(0, seatLimit - memberCount);
  if (invited <= free) return null;
  return (
    <p>
      {plural(free, {
        0: 'All seats are taken.',
        one: 'Only # seat is free.',
        other: 'Only # seats are free.',
      })}{' '}
      {t`Without a free seat, people cannot join; their invitations stay open.`}
    </p>
  );
}
