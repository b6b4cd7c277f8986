import * as z from 'zod/mini';
import { Activity } from './activity.ts';
import { SignIn } from './people.ts';
import { defineRoute } from './route.ts';
import { Moment } from './values.ts';

/** Periods of figures, in days including today; 364 days are 52 whole weeks. */
export const dashboardDays = [7, 30, 90, 364] as const;

const daysMessage = `The figures cover ${dashboardDays.join(', ')} days.`;

export const getOwnDashboard = defineRoute('GET /api/dashboard', {
  access: 'member',
  summary: "The caller's join date and five latest sign-ins.",
  response: z.object({ joinedAt: Moment, signIns: z.array(SignIn) }),
});

/** Count of a day or a week. `to` is exclusive. */
export const PeriodCount = z.object({ from: Moment, to: Moment, count: z.number() });
export type PeriodCount = z.output<typeof PeriodCount>;

export const OnboardingStep = z.object({
  step: z.enum(['site', 'mail', 'provider', 'invite']),
  done: z.boolean(),
});
export type OnboardingStep = z.output<typeof OnboardingStep>;

export const DashboardFigures = z.object({
  /** Null if all steps are done or the steps were dismissed. */
  firstDay: z.nullable(z.array(OnboardingStep)),
  people: z.object({ active: z.number(), disabled: z.number() }),
  invitations: z.object({
    open: z.number(),
    /** Open invitations that expire before `soonUntil`. */
    expiringSoon: z.number(),
    soonUntil: Moment,
    /** Open invitations whose mail failed permanently. */
    mailFailed: z.number(),
  }),
  from: Moment,
  funnel: z.object({ created: z.number(), mailed: z.number(), opened: z.number(), redeemed: z.number() }),
  /** Sign-ins by day, or by week for 364 days; oldest first. */
  signIns: z.array(PeriodCount),
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
        .number(daysMessage)
        .check(z.refine((days) => dashboardDays.some((allowed) => allowed === days), daysMessage)),
      30,
    ),
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
  response: DashboardFigures,
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
  summary: 'Hides the onboarding steps on the dashboard, for all administrators.',
  response: z.object({ dismissed: z.literal(true) }),
});

export const PendingCount = z.object({ mailFailed: z.number() });
export type PendingCount = z.output<typeof PendingCount>;

export const getPendingCount = defineRoute('GET /api/dashboard/waiting', {
  access: 'admin',
  summary: 'Number of open invitations whose e-mail failed since the caller last viewed them.',
  response: PendingCount,
});

export const markPendingSeen = defineRoute('POST /api/dashboard/looked', {
  access: 'admin',
  summary: 'Marks the failures so far as seen by the caller.',
  response: PendingCount,
});
