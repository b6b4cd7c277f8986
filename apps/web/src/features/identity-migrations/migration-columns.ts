import { plural, t } from '@lingui/core/macro';
import type { IdentityMigration, MigrationColumn } from '@vestibule/contract/identity-migrations';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';

export const migrationStates = () =>
  ({
    waiting: { label: t`Waiting`, tone: 'neutral' },
    opened: { label: t`Opened`, tone: 'accent' },
    expired: { label: t`Expired`, tone: 'warning' },
    moved: { label: t`Moved`, tone: 'success' },
    undone: { label: t`Cancelled`, tone: 'neutral' },
  }) as const;

const mails = () =>
  ({
    queued: { label: t`Waiting`, tone: 'neutral' },
    sent: { label: t`Sent`, tone: 'success' },
    failed: { label: t`Failed`, tone: 'danger' },
  }) as const;

export const countOf = (people: number): string => plural(people, { one: '# person', other: '# people' });

export const migratingPerson = ({ personId, displayName, email }: IdentityMigration) => ({
  id: personId,
  name: displayName,
  email,
});

export const migrationColumns = () =>
  columnsByName<IdentityMigration, Exclude<MigrationColumn, 'way'>>({
    displayName: {
      title: t`Name`,
      kind: 'person',
      person: migratingPerson,
      shows: 'email',
      filter: { kind: 'text' },
      flex: 3,
    },
    email: { title: t`E-mail`, kind: 'text', filter: { kind: 'text' }, flex: 2, minWidth: 240, hidden: true },
    state: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ state, otherWays }) => ({
        ...migrationStates()[state],
        ...(otherWays.length > 0 && { hint: t`Also signs in with ${otherWays.join(', ')}` }),
      }),
      filter: { kind: 'set', values: valuesOf(migrationStates()) },
    },
    mail: {
      title: t`Delivery`,
      kind: 'badge',
      badge: ({ mail, mailError }) => ({ ...mails()[mail], ...(mailError !== null && { hint: mailError }) }),
      filter: { kind: 'set', values: valuesOf(mails()) },
      narrow: 'hidden',
    },
    madeAt: { title: t`Asked`, kind: 'date-time', filter: { kind: 'date' }, narrow: 'detail' },
    movedAt: {
      title: t`Moved`,
      kind: 'date-time',
      none: t`Not yet`,
      filter: { kind: 'date', optional: true },
    },
  });
