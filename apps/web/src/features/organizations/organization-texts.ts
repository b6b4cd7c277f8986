import { plural, t } from '@lingui/core/macro';

export const countOf = (count: number) => plural(count, { one: '# organization', other: '# organizations' });

/** Name of a role. Built-in roles have none stored. */
export function roleName(id: string, name: string | null): string {
  if (id === 'manager') return t`Manager`;
  return id === 'member' ? t`Member` : (name ?? id);
}

export const statuses = () =>
  ({
    active: { label: t`Active`, tone: 'success' },
    suspended: { label: t`Suspended`, tone: 'danger' },
  }) as const;
