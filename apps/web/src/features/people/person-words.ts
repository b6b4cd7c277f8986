/** How people are spoken of: roles, states and numbers of them. */
import { plural, t } from '@lingui/core/macro';

export const roles = () =>
  ({
    member: { label: t`Member`, tone: 'neutral' },
    admin: { label: t`Administrator`, tone: 'accent' },
  }) as const;

export const statuses = () =>
  ({
    active: { label: t`Active`, tone: 'success' },
    disabled: { label: t`Disabled`, tone: 'danger' },
  }) as const;

export function countOf(people: number): string {
  return plural(people, { one: '# person', other: '# people' });
}
