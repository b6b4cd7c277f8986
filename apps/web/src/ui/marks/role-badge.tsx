import { Trans } from '@lingui/react/macro';
import { Badge } from './badge.tsx';

export function RoleBadge({ isAdmin }: { isAdmin: boolean }) {
  return (
    <Badge {...(isAdmin && { tone: 'accent' })}>
      {isAdmin ? <Trans>Administrator</Trans> : <Trans>Member</Trans>}
    </Badge>
  );
}
