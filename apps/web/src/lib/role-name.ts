import { t } from '@lingui/core/macro';

/** Name of a role in organizations. Built-in roles have none stored. */
export function roleName(id: string, name: string | null): string {
  if (id === 'manager') return t`Manager`;
  return id === 'member' ? t`Member` : (name ?? id);
}
