import { plural, t } from '@lingui/core/macro';

export const states = () =>
  ({
    waiting: { label: t`Waiting`, tone: 'neutral' },
    opened: { label: t`Opened`, tone: 'accent' },
    expired: { label: t`Expired`, tone: 'warning' },
    moved: { label: t`Moved`, tone: 'success' },
    undone: { label: t`Cancelled`, tone: 'neutral' },
  }) as const;

export const mails = () =>
  ({
    queued: { label: t`Waiting`, tone: 'neutral' },
    sent: { label: t`Sent`, tone: 'success' },
    failed: { label: t`Failed`, tone: 'danger' },
    off: { label: t`No e-mail`, tone: 'neutral' },
  }) as const;

export function countOf(people: number): string {
  return plural(people, { one: '# person', other: '# people' });
}
