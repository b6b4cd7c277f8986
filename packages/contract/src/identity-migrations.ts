/** Moving people from one way to sign in to another: who they are, their role and their files stay. */
import * as z from 'zod/mini';
import { peopleFilters } from './people.ts';
import { defineErrors, defineRoute } from './route.ts';
import { MailLanguage } from './settings/rules.ts';
import { signInStartErrors, wayId } from './sign-in.ts';
import { defineTexts } from './texts/text.ts';
import { Id, listQuery, Moment, page, selectionAnswer, selectionErrors, selectionOf } from './values.ts';

/** How long the link of a move works since it was last mailed, in days. */
export const migrationLinkDays = 30;
/** How long after one mail the next may be sent, in hours. */
export const migrationReminderHours = 24;

export const migrationErrors = defineErrors('move', {
  409: {
    noMail:
      'This site does not send e-mail, so nobody would get their link. Set up the mail server (SMTP_URL) first.',
  },
});

/** Why an action on many left somebody as they are. */
export const migrationSkipped = defineTexts('move_skipped', {
  gone: 'No longer a member.',
  disabled: 'Is disabled.',
  hasWay: 'Already signs in that way.',
  hasLink: 'Already has a link. Remind them, or cancel that move first.',
  isMoved: 'Has already moved.',
  notMoved: 'Has not moved yet.',
  isUndone: 'Already cancelled.',
  justMailed: 'E-mailed less than a day ago.',
  onlyWay: 'Has no other working way to sign in.',
  nothingToClose: 'No longer signs in that way.',
});

/** `waiting`: not opened yet; `expired`: neither moved nor called off in time, a reminder opens it again. */
export const MigrationState = z.enum(['waiting', 'opened', 'expired', 'moved', 'undone']);
export type MigrationState = z.output<typeof MigrationState>;

export const IdentityMigration = z.object({
  id: Id,
  personId: Id,
  email: z.string(),
  displayName: z.string(),
  /** The way that they move to, and what people call it. */
  way: z.string(),
  wayName: z.string(),
  state: MigrationState,
  /** How its newest mail does. */
  mail: z.enum(['queued', 'sent', 'failed']),
  /** What the mail server said. */
  mailError: z.nullable(z.string()),
  /** The address of the administrator; null once they are gone. */
  madeBy: z.nullable(z.string()),
  madeAt: Moment,
  remindedAt: z.nullable(Moment),
  expiresAt: Moment,
  openedAt: z.nullable(Moment),
  movedAt: z.nullable(Moment),
  /** The other ways that they sign in by, as people call them. */
  otherWays: z.array(z.string()),
});
export type IdentityMigration = z.output<typeof IdentityMigration>;

/** What moves are sorted and filtered by. */
const moveColumns = ['email', 'displayName', 'way', 'state', 'mail', 'madeAt', 'movedAt'] as const;
export type MigrationColumn = (typeof moveColumns)[number];

export const listMigrations = defineRoute('GET /api/moves', {
  access: 'admin',
  summary: 'Moves to another way to sign in, paged, sorted, searched and filtered.',
  query: listQuery(moveColumns, moveColumns),
  answer: page(IdentityMigration),
});

export const countMigrations = defineRoute('GET /api/moves/counts', {
  access: 'admin',
  summary: 'The progress of a move to a way to sign in.',
  query: z.object({ way: wayId }),
  answer: z.object({
    /** Active people who do not sign in that way, and have no link that works. */
    lacking: z.number(),
    waiting: z.number(),
    opened: z.number(),
    expired: z.number(),
    moved: z.number(),
    undone: z.number(),
    /** Of those who wait, have opened or were too late: mails that could not be delivered. */
    failed: z.number(),
    /** The ways that people who have moved could still sign in by, and how many of them. */
    oldWays: z.array(z.object({ way: z.string(), name: z.string(), people: z.number() })),
  }),
  errors: [signInStartErrors.wayUnknown],
});

export const previewMigrationMail = defineRoute('GET /api/moves/mail', {
  access: 'admin',
  summary: 'The e-mail with the personal link, as the caller would get it. Its link does not work.',
  query: z.object({ way: wayId, language: MailLanguage, scheme: z.enum(['light', 'dark']) }),
  answer: z.object({ subject: z.string(), text: z.string(), html: z.string() }),
  errors: [signInStartErrors.wayUnknown],
});

export const startMigrations = defineRoute('POST /api/moves', {
  access: 'admin',
  summary:
    'Sends people a personal link to move to another way to sign in. People who already sign in that way are skipped.',
  body: z.strictObject({ way: wayId, selection: selectionOf(peopleFilters) }),
  answer: selectionAnswer(peopleFilters),
  errors: [
    signInStartErrors.wayUnknown,
    migrationErrors.noMail,
    selectionErrors.tooLarge,
    selectionErrors.changed,
  ],
});

export const remindMigrations = defineRoute('POST /api/moves/remind', {
  access: 'admin',
  summary: 'E-mails the link again, at most once a day per person. It works for another 30 days.',
  body: z.strictObject({ selection: selectionOf(moveColumns) }),
  answer: selectionAnswer(moveColumns),
  errors: [migrationErrors.noMail, selectionErrors.tooLarge, selectionErrors.changed],
});

export const cancelMigrations = defineRoute('POST /api/moves/undo', {
  access: 'admin',
  summary:
    'Cancels moves. What a move added is removed, with its sessions, as long as the person has another working way to sign in.',
  body: z.strictObject({ selection: selectionOf(moveColumns) }),
  answer: selectionAnswer(moveColumns),
  errors: [selectionErrors.tooLarge, selectionErrors.changed],
});

export const removePreviousIdentities = defineRoute('POST /api/moves/close', {
  access: 'admin',
  summary:
    'Removes an old way to sign in from people who have moved, and ends its sessions. Nobody loses their only way in.',
  /** `way` is the old one. */
  body: z.strictObject({ way: wayId, selection: selectionOf(moveColumns) }),
  answer: selectionAnswer(moveColumns),
  errors: [selectionErrors.tooLarge, selectionErrors.changed],
});
