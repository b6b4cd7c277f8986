import { plural, t } from '@lingui/core/macro';
import {
  migrationLinkDays,
  migrationReminderHours,
  remindMigrations,
  cancelMigrations,
  type IdentityMigration,
} from '@vestibule/contract/identity-migrations';
import type { RouteRequest } from '@vestibule/contract/route';
import { call } from '../../lib/call.ts';
import { countOf } from './migration-texts.ts';

type MigrationSelection = RouteRequest<typeof cancelMigrations>['body']['selection'];

export type MigrationAction = {
  label: string;
  danger: boolean;
  isOffered: (migration: IdentityMigration) => boolean;
  consequence: string;
  apply: (selection: MigrationSelection) => ReturnType<typeof call<typeof cancelMigrations>>;
  doneText: (count: number) => string;
};

export const migrationActions = (): readonly MigrationAction[] => [
  {
    label: t`Remind`,
    danger: false,
    isOffered: ({ state }) => state === 'waiting' || state === 'opened' || state === 'expired',
    consequence: t`They get the e-mail with their link again, at most once every ${migrationReminderHours} hours. The link works for another ${migrationLinkDays} days.`,
    apply: (selection) => call(remindMigrations, { body: { selection } }),
    doneText: (count) =>
      plural(count, { one: '# reminder is on its way.', other: '# reminders are on their way.' }),
  },
  {
    label: t`Cancel move`,
    danger: true,
    isOffered: ({ state }) => state !== 'undone',
    consequence: t`Unused links stop working. People who have moved sign in as before: the new way is removed, and browsers signed in with it are signed out. The only working way to sign in is never removed.`,
    apply: (selection) => call(cancelMigrations, { body: { selection } }),
    doneText: (count) => t`Cancelled for ${countOf(count)}.`,
  },
];
