import {
  getDashboardFigures,
  getOwnDashboard,
  getPendingCount,
  markPendingSeen,
  type PendingCount,
} from '@vestibule/contract/dashboard';
import { soonDays } from '@vestibule/contract/rules/limits';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { auditColumns, type AuditRow } from '../../platform/audit/audit-log.ts';
import { execute, onlyRowOf, rawSql, rowsOf, type Database } from '../../platform/database/database.ts';
import { implement } from '../../platform/http/implement.ts';
import { every } from '../../platform/timers.ts';
import { dayMs } from '../../platform/time-units.ts';
import { listSignInRows, requirePerson, toSignIn } from '../people/people-store.ts';
import { addPeopleToActivity } from '../people/people-by-email.ts';
import { aggregateCounts, quarterHourOf, readFunnel, readSignIns, readCurrentFigures } from './counts.ts';
import { dismissRoute, readOnboardingSteps } from './onboarding.ts';

const maxOwnSignIns = 5;
const maxLatestEntries = 6;
/** Longest period in days with daily figures; longer ones are weekly. */
const maxDailyDays = 90;
const foldIntervalMs = 10 * 60_000;

export function dashboard(deps: {
  database: Database;
  config: Config;
  /** Null if mails are disabled. */
  sendNow: object | null;
  now: () => number;
}): Area {
  const { database, now } = deps;
  const routes = [
    implement(getOwnDashboard, async ({ caller }) => {
      const [person, signIns] = await Promise.all([
        requirePerson(database, caller.id),
        listSignInRows(database, caller.id, maxOwnSignIns),
      ]);
      return { joinedAt: person.joined_at.toISOString(), signIns: signIns.map(toSignIn) };
    }),

    implement(getDashboardFigures, async ({ query: { days, timeZone } }) => {
      const at = now();
      const soonUntil = quarterHourOf(at + soonDays * dayMs);
      const spans = daySpans(at, { days, daysPerSpan: days > maxDailyDays ? 7 : 1, timeZone });
      const from = spans[0] as Date;
      const [current, funnel, signIns, latest, firstDay] = await Promise.all([
        readCurrentFigures(database, new Date(at), soonUntil),
        readFunnel(database, from),
        readSignIns(database, spans),
        readLatest(database),
        readOnboardingSteps({ ...deps, sendsMails: deps.sendNow !== null }),
      ]);
      return {
        firstDay,
        people: { active: current.active, disabled: current.disabled },
        invitations: {
          open: current.open,
          expiringSoon: current.soon,
          soonUntil: soonUntil.toISOString(),
          mailFailed: current.failed,
        },
        from: from.toISOString(),
        funnel,
        signIns,
        latest: await addPeopleToActivity(database, latest),
      };
    }),

    dismissRoute(deps),

    implement(getPendingCount, ({ caller }) => readPending(database, caller.id, new Date(now()))),

    implement(markPendingSeen, async ({ caller }) => {
      const at = new Date(now());
      await execute(database)`update people set looked_at = ${at} where id = ${caller.id}`;
      return readPending(database, caller.id, at);
    }),
  ];
  const foldTimer = every(foldIntervalMs, 'adding up counts', () => aggregateCounts(database));
  return { routes, timers: [foldTimer] };
}

const readLatest = (database: Database) =>
  rowsOf<AuditRow>(database, { name: 'read-latest-activity' })`
    select ${rawSql(auditColumns)} from audit_log order by id desc limit ${rawSql(maxLatestEntries)}`;

/** Includes mails that failed exactly at the time of the last visit. */
const readPending = (database: Database, personId: string, at: Date) =>
  onlyRowOf<PendingCount>(database, { name: 'read-waiting' })`
    select count(*) as "mailFailed" from invitations
    where status = 'pending' and mail_state = 'failed' and expires_at > ${at}
      and mail_failed_at >= coalesce((select looked_at from people where id = ${personId}), '-infinity')`;

/** Returns the start of each span, oldest first, up to the day of `now`, and the end of the last one as an additional element. */
export function daySpans(
  now: number,
  { days, daysPerSpan, timeZone }: { days: number; daysPerSpan: number; timeZone: string },
): Date[] {
  const clock = createWallClock(timeZone);
  const today = Math.floor(clock(now) / dayMs) * dayMs;
  return Array.from(
    { length: days / daysPerSpan + 1 },
    (_, index) => new Date(startOfDay(today + (1 - days + index * daysPerSpan) * dayMs, clock)),
  );
}

/** Converts a time to the local time of the zone, as if it were UTC; milliseconds. */
type WallClock = (moment: number) => number;

function createWallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const parts = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  };
}

/** Tries the offsets of the previous and the next day, since clocks may be put forward at midnight. */
function startOfDay(midnight: number, clock: WallClock): number {
  const moments = [midnight - dayMs, midnight + dayMs].map((moment) => midnight - (clock(moment) - moment));
  const withinDay = moments.filter((moment) => clock(moment) >= midnight);
  return Math.min(...withinDay);
}
