import { plural, t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { methodLabel } from '../../lib/sign-in/sign-in-text.ts';

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

export const countOf = (people: number): string => plural(people, { one: '# person', other: '# people' });

/** Returns the labels of comma-separated method `ids`. */
export function methodLabels(ids: string, signInMethods: readonly SignInMethod[]): string {
  if (ids === '') return '–';
  const names = ids.split(', ').map((id) => signInMethods.find((method) => method.id === id)?.name ?? id);
  return names.map(methodLabel).join(', ');
}
