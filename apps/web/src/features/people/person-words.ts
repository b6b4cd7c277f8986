/** How people are spoken of: roles, states and numbers of them. */

export const roles = {
  member: { label: 'Member', tone: 'neutral' },
  admin: { label: 'Administrator', tone: 'accent' },
} as const;

export const statuses = {
  active: { label: 'Active', tone: 'success' },
  disabled: { label: 'Disabled', tone: 'danger' },
} as const;

export function countOf(people: number): string {
  return `${people.toLocaleString()} ${people === 1 ? 'person' : 'people'}`;
}
