/** Batches the updates of people by sign-ins, so that sign-ins do not wait for locked rows. */
import type { Queryable } from '../../platform/database/database.ts';
import { maxStoredSignIns } from './people-store.ts';

/** Delay until lists show the latest sign-in, in milliseconds. */
export const flushIntervalMs = 1_000;
/** Maximum number of people that one statement locks. */
const maxPeoplePerBatch = 50;

/** Writes buffered sign-ins and deletes those beyond the last 50. Safe to run in several processes. */
export async function flushSignInBuffer(database: Queryable): Promise<void> {
  for (let written: number | null = maxPeoplePerBatch; written === maxPeoplePerBatch;)
    ({ rowCount: written } = await database.query({
      name: 'write-noted-sign-ins',
      // Ordered, to avoid deadlocks.
      text: `with taken as (
               delete from sign_in_buffer
               where person_id = any(array(select distinct person_id from sign_in_buffer limit ${maxPeoplePerBatch}))
               returning person_id as id, at),
             latest as (select id, max(at) as at from taken group by id),
             person as (select id, latest.at from people join latest using (id) order by id for no key update of people),
             outdated as (
               delete from sign_ins using latest, lateral (
                 select id from sign_ins where person_id = latest.id order by id desc offset ${maxStoredSignIns} limit 1) oldest
               where sign_ins.person_id = latest.id and sign_ins.id <= oldest.id)
             update people set last_sign_in_at = greatest(last_sign_in_at, person.at), last_seen_at = greatest(last_seen_at, person.at)
             from person where people.id = person.id`,
    }));
}
