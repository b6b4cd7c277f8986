/** Identity migrations: people get a personal link to add another sign-in method to their account. */
import * as z from 'zod/mini';
import { peopleFilters } from './people.ts';
import { defineErrors, defineRoute, errorsOf } from './route.ts';
import { MailLanguage } from './settings/rules.ts';
import { signInStartErrors, signInMethodId } from './sign-in.ts';
import { defineTexts } from './texts/text.ts';
import {
  groupColumn,
  groupCounts,
  Id,
  listQuery,
  Moment,
  page,
  selectionResult,
  selectionErrors,
  selectionSchema,
} from './values.ts';

/** Lifetime of a link since it was last mailed, in days. */
export const migrationLinkDays = 30;
export const migrationReminderHours = 24;

export const migrationErrors = defineErrors('move', {
  409: {
    noMail:
      'This site does not send e-mail, so the links cannot be sent. Set up the mail server (SMTP_URL) first.',
  },
});

export const migrationSkipped = defineTexts('move_skipped', {
  gone: 'No longer a member.',
  disabled: 'Is disabled.',
  hasWay: 'Already signs in that way.',
  hasLink: 'Already has a link. Remind them, or cancel that move first.',
  isMoved: 'Has already moved.',
  notMoved: 'Has not moved yet.',
  isUndone: 'Already cancelled.',
  justMailed: 'E-mailed less than a day ago.',
  onlyWay: 'Has no other working sign-in method.',
  nothingToClose: 'No longer signs in that way.',
});

/**
 * `waiting`: the link has not been opened. `expired`: the migration was neither completed nor canceled in time; a reminder makes the link
 * valid again.
 */
const migrationStates = ['waiting', 'opened', 'expired', 'moved', 'undone'] as const;
const MigrationState = z.enum(migrationStates);
export type MigrationState = z.output<typeof MigrationState>;

export const IdentityMigration = z.object({
  id: Id,
  personId: Id,
  email: z.string(),
  displayName: z.string(),
  way: z.string(),
  wayName: z.string(),
  state: MigrationState,
  mail: z.enum(['queued', 'sent', 'failed']),
  mailError: z.nullable(z.string()),
  madeBy: z.nullable(z.string()),
  madeAt: Moment,
  remindedAt: z.nullable(Moment),
  expiresAt: Moment,
  openedAt: z.nullable(Moment),
  movedAt: z.nullable(Moment),
  otherWays: z.array(z.string()),
});
export type IdentityMigration = z.output<typeof IdentityMigration>;

const migrationColumns = ['email', 'displayName', 'way', 'state', 'mail', 'madeAt', 'movedAt'] as const;
export type MigrationColumn = (typeof migrationColumns)[number];

/** `failed`: waiting, opened or expired, and the mail could not be delivered. */
const migrationGroups = [...migrationStates, 'failed'] as const;
export type MigrationGroup = (typeof migrationGroups)[number];
const migrationFilters = [...migrationColumns, groupColumn] as const;

export const listMigrations = defineRoute('GET /api/moves', {
  access: 'admin',
  summary: 'Identity migrations, paged, sorted, searched and filtered.',
  query: listQuery(migrationColumns, migrationFilters),
  response: page(IdentityMigration),
});

export const countMigrations = defineRoute('GET /api/moves/counts', {
  access: 'admin',
  summary: 'The progress of the migrations to a sign-in method.',
  query: z.object({ way: signInMethodId }),
  response: z.extend(groupCounts(migrationGroups), {
    /** Number of active people without this method and without a valid link. */
    lacking: z.number(),
    /** Previous methods that migrated people can still use, each with the number of these people. */
    oldWays: z.array(z.object({ way: z.string(), name: z.string(), people: z.number() })),
  }),
  errors: [signInStartErrors.wayUnknown],
});

export const previewMigrationMail = defineRoute('GET /api/moves/mail', {
  access: 'admin',
  summary: 'A preview of the e-mail with the personal link, addressed to the caller. Its link does not work.',
  query: z.object({ way: signInMethodId, language: MailLanguage, scheme: z.enum(['light', 'dark']) }),
  response: z.object({ subject: z.string(), text: z.string(), html: z.string() }),
  errors: [signInStartErrors.wayUnknown],
});

export const startMigrations = defineRoute('POST /api/moves', {
  access: 'admin',
  summary:
    'Sends people a personal link for adding another sign-in method. People who already use it are skipped, except a single person, whose account at the provider may have been replaced.',
  body: z.strictObject({ way: signInMethodId, selection: selectionSchema(peopleFilters) }),
  response: selectionResult(peopleFilters),
  errors: [
    signInStartErrors.wayUnknown,
    migrationErrors.noMail,
    ...errorsOf(selectionErrors, 'tooLarge', 'changed'),
  ],
});

export const remindMigrations = defineRoute('POST /api/moves/remind', {
  access: 'admin',
  summary: 'E-mails the link again, at most once a day per person. It works for another 30 days.',
  body: z.strictObject({ selection: selectionSchema(migrationFilters) }),
  response: selectionResult(migrationFilters),
  errors: [migrationErrors.noMail, selectionErrors.tooLarge, selectionErrors.changed],
});

export const cancelMigrations = defineRoute('POST /api/moves/undo', {
  access: 'admin',
  summary:
    'Cancels migrations. The added sign-in method is removed with its sessions if the person has another working one.',
  body: z.strictObject({ selection: selectionSchema(migrationFilters) }),
  response: selectionResult(migrationFilters),
  errors: [selectionErrors.tooLarge, selectionErrors.changed],
});

export const removePreviousIdentities = defineRoute('POST /api/moves/close', {
  access: 'admin',
  summary:
    'Removes the previous sign-in method of migrated people, and ends its sessions. The only working method of a person is never removed.',
  body: z.strictObject({ way: signInMethodId, selection: selectionSchema(migrationFilters) }),
  response: selectionResult(migrationFilters),
  errors: [selectionErrors.tooLarge, selectionErrors.changed],
});
