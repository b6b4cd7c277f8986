/** How each way to sign in does, for Settings. */
import type { Database } from '../../../platform/database/database.ts';

/** What is written down of a way at most so often by one process; failures are rarer, and each may be another one. */
const successEveryMs = 10_000;
const failureEveryMs = 1_000;

export type NoteWay = (way: string, failure: string | null) => void;

/** Notes the last success and the last failure of each way. Nobody waits for it, and nobody hears of its failure. */
export function createWayNotes(deps: { database: Database; now: () => number }): NoteWay {
  const noted = new Map<string, number>();
  return (way, failure) => {
    const at = deps.now();
    const what = `${failure === null ? 'success' : 'failure'} ${way}`;
    if ((noted.get(what) ?? 0) + (failure === null ? successEveryMs : failureEveryMs) > at) return;
    noted.set(what, at);
    const column = failure === null ? 'last_success_at' : 'last_failure_at';
    void deps.database
      .query({
        text: `insert into sign_in_ways (way, ${column}, last_failure_code) values ($1, $2, $3)
               on conflict (way) do update set ${column} = excluded.${column},
                 last_failure_code = coalesce(excluded.last_failure_code, sign_in_ways.last_failure_code)`,
        values: [way, new Date(at), failure],
      })
      .catch(() => {});
  };
}
