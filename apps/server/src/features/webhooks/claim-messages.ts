/** The statements by which messages of webhooks are found, claimed for a while, given back, and their outcomes written down. */
import { jsonParameter, rowOf, rowsOf, type Database } from '../../platform/database/database.ts';
import type { ToTell } from './webhook-payload.ts';
import type { KeptSecrets } from './webhook-secret.ts';

/** Messages of a webhook that a process sends at the same time. */
const lanes = 25;
/** Longer than an answer and what is written of it takes. */
const claimMs = 60_000;
/** Between the tries; the last one is repeated. */
const delaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
/** What a receiver may ask for at most, so that nothing waits past the time in which it is tried. */
const longestPauseMs = 24 * 3_600_000;
const triedForMs = 3 * 24 * 3_600_000;
/** What a test is called; it is tried once. */
export const testEvent = 'webhook.test';

export type Claimed = ToTell & KeptSecrets & { url: string; attempts: number; first_attempt_at: Date };

export type Outcome = {
  id: number;
  status: number | null;
  answer: string;
  milliseconds: number;
  /** For how long the receiver asks to be left alone. */
  retryAfterMs?: number | null;
};

/** Of what was tried, how often the address had changed then: the least. What was not tried is due as it is. */
const leastMoves = `(select moves from webhook_messages where webhook_id = hook.id and state = 'waiting' and attempts > 0
               order by moves limit 1)`;

/** Also those that are switched off, while messages of theirs wait to be given up. Asks for what is first: indices have that. */
export async function findDue(database: Database, now: number): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(database, {
    name: 'find-due-webhooks',
    text: `select id from webhooks hook where (not is_on or retry_at is null or retry_at <= $1) and (
             (select due_at from webhook_messages where webhook_id = hook.id and state = 'waiting' order by due_at limit 1)
               <= case when is_on then $1 else 'infinity' end
             or ${leastMoves} < hook.moves)`,
    values: [new Date(now)],
  });
  return rows.map(({ id }) => id);
}

/**
 * Of a webhook that fails one only, to see whether it is back. A test goes before all that waits: somebody looks at it. What waits for
 * later is only read while some of it was tried at an earlier address.
 */
export async function claim(database: Database, webhookId: string, at: number): Promise<Claimed[]> {
  return rowsOf<Claimed>(database, {
    name: 'claim-webhook-messages',
    text: `with hook as (
             select id, url, secret, earlier_secret, earlier_secret_until, failing_since, moves from webhooks
             where id = $1 and is_on and (retry_at is null or retry_at <= $2)),
           until as (
             select case when ${leastMoves} < hook.moves then 'infinity' else $2 end as due_at from hook),
           next as (
             select id from webhook_messages message
             where webhook_id = (select id from hook) and state = 'waiting' and due_at <= (select due_at from until)
               and (due_at <= $2 or moves < (select moves from hook)) and not exists (
               select from webhook_messages earlier where earlier.webhook_id = message.webhook_id and earlier.state = 'waiting'
                 and earlier.object_id = message.object_id and earlier.id < message.id)
               and (event = $5 or not exists (
                 select from webhook_messages test where test.webhook_id = $1 and test.object_id = $1::uuid::text
                   and test.state = 'waiting' and test.due_at <= $2))
             order by due_at, id
             limit (select case when failing_since is null then $4::int else 1 end from hook)
             for update skip locked)
           update webhook_messages message set due_at = $3, moves = hook.moves, attempts = attempts + 1, last_attempt_at = $2,
             first_attempt_at = coalesce(first_attempt_at, $2)
           from next, hook where message.id = next.id
           returning message.id, message_id, event, at, object_type, object_id, activity_id, attempts, first_attempt_at,
             url, secret, earlier_secret, earlier_secret_until`,
    values: [webhookId, new Date(at), new Date(at + claimMs), lanes, testEvent],
  });
}

/** All but what somebody else has claimed meanwhile. */
export async function giveBack(database: Database, claimed: Claimed[]): Promise<void> {
  if (claimed.length === 0) return;
  await database.query({
    text: `update webhook_messages message set due_at = '-infinity', attempts = message.attempts - 1
           from unnest($1::bigint[], $2::int[]) as claimed (id, attempts)
           where message.id = claimed.id and message.attempts = claimed.attempts and state = 'waiting'`,
    values: [claimed.map(({ id }) => id), claimed.map(({ attempts }) => attempts)],
  });
}

/**
 * One success says that the receiver is there; what failed beside it is that message's own trouble. What another address
 * answered says nothing of this one. Gives why the webhook cannot go on, if it cannot.
 */
export async function writeDown(
  database: Database,
  webhookId: string,
  { claimed, outcomes, at }: { claimed: Claimed[]; outcomes: Outcome[]; at: number },
): Promise<'gone' | 'failing' | null> {
  const byId = new Map(claimed.map((message) => [message.id, message]));
  const pauseMs = Math.max(...outcomes.map(pauseAfter));
  const written = outcomes.map((outcome) => {
    const { attempts, first_attempt_at: first, event } = byId.get(outcome.id) as Claimed;
    const isOver = event === testEvent || first.getTime() + triedForMs <= at;
    return {
      ...outcome,
      attempts,
      state: isSuccess(outcome) ? 'delivered' : isOver ? 'given_up' : 'waiting',
      due_at: new Date(at + delayAfter(attempts)),
    };
  });
  const hook = await rowOf<{ failing_since: Date | null }>(database, {
    name: 'write-webhook-outcomes',
    text: `with written as (
             update webhook_messages message set state = done.state, due_at = done.due_at, status = done.status,
               answer = done.answer, milliseconds = done.milliseconds
             from jsonb_to_recordset($2) as done (id bigint, attempts integer, state text, due_at timestamptz, status integer,
               answer text, milliseconds integer), webhooks hook
             -- Not of what somebody else has claimed meanwhile. What failed does not count, either, where the message was given up,
             -- or goes to another address.
             where message.id = done.id and message.attempts = done.attempts and hook.id = webhook_id
               and (done.state = 'delivered' or message.state = 'waiting' and message.moves = hook.moves))
           update webhooks set
             failures = case when $3 then 0 else failures + 1 end,
             failing_since = case when $3 then null else coalesce(failing_since, $4) end,
             retry_at = greatest($6::timestamptz, case when $3 then null else $4 + ($5::int[])[least(failures + 1, cardinality($5::int[]))] * interval '1 ms' end),
             delivered_at = case when $3 then $4 else delivered_at end
           where id = $1 and url = $7 returning failing_since`,
    values: [
      webhookId,
      jsonParameter(written),
      outcomes.some(isSuccess),
      new Date(at),
      delaysMs,
      pauseMs > 0 ? new Date(at + pauseMs) : null,
      claimed[0]?.url,
    ],
  });
  if (!hook) return null;
  const since = hook.failing_since;
  // "Gone" is how a receiver says that it wants no more (Standard Webhooks).
  if (outcomes.some(({ status }) => status === 410)) return 'gone';
  return since && since.getTime() + triedForMs <= at ? 'failing' : null;
}
const isSuccess = ({ status }: Outcome) => status !== null && status >= 200 && status < 300;

/** Whoever is asked to slow down (429) or to come back later (503) does so with everything for that receiver. */
const pauseAfter = (outcome: Outcome) =>
  isSuccess(outcome) ? 0 : Math.min(outcome.retryAfterMs ?? 0, longestPauseMs);

/** The milliseconds of a Retry-After (RFC 9110, 10.2.3): seconds, or a moment. Null for what is neither. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const delayAfter = (attempts: number) => delaysMs[Math.min(attempts, delaysMs.length) - 1] as number;
