/** The dashboard: what waits for a person, and for administrators the figures of the whole site. */
import * as z from 'zod/mini';
import { Activity } from './activity.ts';
import { SignIn } from './people.ts';
import { defineRoute } from './route.ts';
import { Moment } from './values.ts';

/** Periods of figures, in days including today; 364 days are 52 whole weeks. */
export const dashboardDays = [7, 30, 90, 364] as const;

const daysSentence = `The figures cover ${dashboardDays.join(', ')} days.`;

export const getOwnDashboard = defineRoute('GET /api/dashboard', {
  access: 'member',
  summary: 'When I joined, and my five latest sign-ins.',
  answer: z.object({
    joinedAt: Moment,
    signIns: z.array(SignIn),
  }),
});

/** A day or a week: from its first moment up to, but without, `to`. */
export const CountedSpan = z.object({ from: Moment, to: Moment, count: z.number() });
export type CountedSpan = z.output<typeof CountedSpan>;

/** One of the first steps of a new site, and whether it is done. */
export const OnboardingStep = z.object({
  step: z.enum(['site', 'mail', 'provider', 'invite']),
  done: z.boolean(),
});
export type OnboardingStep = z.output<typeof OnboardingStep>;

export const DashboardFigures = z.object({
  /** Null once all are done, or an administrator has dismissed them. */
  firstDay: z.nullable(z.array(OnboardingStep)),
  people: z.object({ active: z.number(), disabled: z.number() }),
  invitations: z.object({
    /** Neither redeemed, revoked nor expired. */
    open: z.number(),
    /** Open, and no longer so at `soonUntil`. */
    expiringSoon: z.number(),
    soonUntil: Moment,
    /** Open, and their mail will not be tried again. */
    mailFailed: z.number(),
  }),
  /** The first moment of the first day. */
  from: Moment,
  /** Of the invitations created since `from`, how many came how far. */
  funnel: z.object({
    created: z.number(),
    mailed: z.number(),
    opened: z.number(),
    redeemed: z.number(),
  }),
  /** Sign-ins by day, of 364 days by week; oldest first. */
  signIns: z.array(CountedSpan),
  /** The newest entries of the activity log, newest first. */
  latest: z.array(Activity),
});
export type DashboardFigures = z.output<typeof DashboardFigures>;

export const getDashboardFigures = defineRoute('GET /api/dashboard/figures', {
  access: 'admin',
  scope: 'activity:read',
  summary: 'Members, pending work, the progress of invitations, sign-ins by day, and the latest activity.',
  query: z.object({
    days: z._default(
      z.coerce
        .number(daysSentence)
        .check(z.refine((days) => dashboardDays.some((one) => one === days), daysSentence)),
      30,
    ),
    /** Whose midnight begins a day. */
    timeZone: z._default(
      z
        .string()
        .check(
          z.maxLength(64, { abort: true, error: 'The name of a time zone has at most 64 characters.' }),
          z.refine(isTimeZone, 'This time zone does not exist. Use a name such as Europe/Berlin or UTC.'),
        ),
      'UTC',
    ),
  }),
  answer: DashboardFigures,
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const dismissOnboarding = defineRoute('POST /api/dashboard/first-day/dismiss', {
  access: 'admin',
  summary: 'Hides the first steps of a new site on the dashboard, for every administrator.',
  answer: z.object({ dismissed: z.literal(true) }),
});

/** What waits for an administrator: failures that happened since they last looked. */
export const Waiting = z.object({ mailFailed: z.number() });
export type Waiting = z.output<typeof Waiting>;

export const getPendingCount = defineRoute('GET /api/dashboard/waiting', {
  access: 'admin',
  summary: 'Open invitations whose e-mail failed since I last looked.',
  answer: Waiting,
});

export const markPendingSeen = defineRoute('POST /api/dashboard/looked', {
  access: 'admin',
  summary: 'Marks what failed so far as seen by me.',
  answer: Waiting,
});
