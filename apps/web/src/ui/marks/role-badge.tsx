import { Trans } from '@lingui/react/macro';
import { Badge } from './badge.tsx';

/** What somebody may do here, in a word. */
export function RoleBadge({ isAdmin }: { isAdmin: boolean }) {
  return (
    <Badge {...(isAdmin && { tone: 'accent' })}>
      {isAdmin ? <Trans>Administrator</Trans> : <Trans>Member</Trans>}
    </Badge>
  );
}
