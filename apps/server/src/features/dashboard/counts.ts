/** Reads the counts that triggers write. A count is the sum of several rows; aggregation merges them to one row per quarter of an hour. */
import type { DashboardFigures } from '@vestibule/contract/dashboard';
import { execute, onlyRowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';

const quarterHourMs = 15 * 60_000;

export const quarterHourOf = (moment: number): Date => new Date(moment - (moment % quarterHourMs));

type CurrentFigures = { active: number; disabled: number; open: number; soon: number; failed: number };

/**
 * Open invitations that expire in the current quarter of an hour are counted in the table `invitations`, because the
 * row of `counts` for that quarter includes invitations that have already expired.
 */
export const readCurrentFigures = (database: Queryable, at: Date, soonUntil: Date) =>
  onlyRowOf<CurrentFigures>(database, {
    name: 'read-standing',
    text: `with leaving as (
             select count(*) as count from invitations where status = 'pending' and expires_at > $1 and expires_at < $2)
           select
             (select coalesce(sum(count), 0) from counts where what = 'person_active') as active,
             (select coalesce(sum(count), 0) from counts where what = 'person_disabled') as disabled,
             (select count from leaving)
               + (select coalesce(sum(count), 0) from counts where what = 'invitation_expires' and at >= $2) as open,
             (select count from leaving)
               + (select coalesce(sum(count), 0) from counts where what = 'invitation_expires' and at >= $2 and at < $3) as soon,
             (select count(*) from invitations
              where status = 'pending' and mail_state = 'failed' and expires_at > $1) as failed`,
    values: [at, new Date(quarterHourOf(at.getTime()).getTime() + quarterHourMs), soonUntil],
  });

export async function readFunnel(database: Queryable, since: Date): Promise<DashboardFigures['funnel']> {
  const stages = ['created', 'mailed', 'opened', 'redeemed'];
  return onlyRowOf<DashboardFigures['funnel']>(database, {
    name: 'read-funnel',
    text: `select ${stages.map((stage) => `${countSince(`invitation_${stage}`)} as ${stage}`).join(', ')}`,
    values: [since],
  });
}

const countSince = (metric: string) =>
  `(select coalesce(sum(count), 0)::bigint from counts where what = '${metric}' and at >= $1)`;

export async function readSignIns(
  database: Queryable,
  moments: Date[],
): Promise<DashboardFigures['signIns']> {
  const rows = await rowsOf<{ count: number }>(database, { name: 'read-sign-ins-by-span' })`
    select (select coalesce(sum(count), 0)::bigint from counts
            where what = 'sign_in' and at >= moments[span] and at < moments[span + 1]) as count
    from (select ${moments}::timestamptz[] as moments) given, generate_series(1, cardinality(moments) - 1) as span
    order by span`;
  return rows.map(({ count }, index) => ({
    from: (moments[index] as Date).toISOString(),
    to: (moments[index + 1] as Date).toISOString(),
    count,
  }));
}

/** Merges the rows of each quarter of an hour. Safe to run in several processes. */
export async function aggregateCounts(database: Queryable): Promise<void> {
  await execute(database)`
    with folded as (
      delete from counts where (what, at) in (
        select what, at from counts group by what, at having count(*) > 1)
      returning what, at, count)
    insert into counts select what, at, sum(count) from folded group by what, at having sum(count) <> 0`;
}
