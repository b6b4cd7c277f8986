/** What a sign-in changes of a person: noted with it, and a moment later written, so that nobody who signs in waits for that. */
import type { Queryable } from '../../platform/database/database.ts';
import { keptSignIns } from './people-store.ts';

/** How long lists may be behind, in milliseconds. */
export const signInsWrittenEveryMs = 1_000;
/** Whoever signs in once more waits for no more people than these. */
const peopleAtOnce = 50;

/**
 * Lists know of the last sign-in, and those before the last 50 go. Each person is written once, however often they signed in. Several
 * processes may do it at once.
 */
export async function flushSignInBuffer(database: Queryable): Promise<void> {
  for (let written: number | null = peopleAtOnce; written === peopleAtOnce;)
    ({ rowCount: written } = await database.query({
      name: 'write-noted-sign-ins',
      // In one order, so that nobody waits for each other in a circle.
      text: `with taken as (
               delete from noted_sign_ins
               where person_id = any(array(select distinct person_id from noted_sign_ins limit ${peopleAtOnce}))
               returning person_id as id, at),
             latest as (select id, max(at) as at from taken group by id),
             person as (select id, latest.at from people join latest using (id) order by id for no key update of people),
             outdated as (
               delete from sign_ins using latest, lateral (
                 select id from sign_ins where person_id = latest.id order by id desc offset ${keptSignIns} limit 1) oldest
               where sign_ins.person_id = latest.id and sign_ins.id <= oldest.id)
             update people set last_sign_in_at = greatest(last_sign_in_at, person.at), last_seen_at = greatest(last_seen_at, person.at)
             from person where people.id = person.id`,
    }));
}
