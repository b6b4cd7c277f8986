/** How each way to sign in does, for Settings. */
import { requestErrors } from '@vestibule/contract/request-errors';
import { listSignInMethods, signInProblems } from '@vestibule/contract/sign-in';
import { createMessage, type MessageDefinition } from '@vestibule/contract/texts/text';
import type { Config } from '../../../platform/config/read-config.ts';
import { passkeyMethod, signInMethodsOf } from '../../../platform/config/sign-in-methods.ts';
import { rowsOf, type Database, type Timed } from '../../../platform/database/database.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';

/** What is written down of a way at most so often by one process; failures are rarer, and each may be another one. */
const successEveryMs = 10_000;
const failureEveryMs = 1_000;

export type RecordProviderResult = (way: string, failure: string | null) => void;

/** Notes the last success and the last failure of each way. Nobody waits for it, and nobody hears of its failure. */
export function createWayNotes(deps: Timed): RecordProviderResult {
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

type WayRow = {
  way: string;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure_code: string | null;
};

/** How each way does, for administrators. */
export function wayRoutes({ config, database }: { config: Config; database: Database }): Implementation[] {
  const hosts = new Map([
    ...(config.provider ? [['b2c', new URL(config.provider.authBaseUrl).host] as const] : []),
    ...config.oidc.map(({ id, issuer }) => [id, new URL(issuer).host] as const),
    ...(config.passkeys ? [[passkeyMethod, config.passkeys.rpId] as const] : []),
  ]);
  /** What of a provider's failures is told: each has at most these gaps. */
  const problems = new Map<string, MessageDefinition>(
    [...Object.values(signInProblems), requestErrors.unavailable, requestErrors.unexpected].map((problem) => [
      problem.code,
      problem,
    ]),
  );
  return [
    implement(listSignInMethods, async () => {
      const rows = await rowsOf<WayRow>(database, {
        text: 'select way, last_success_at, last_failure_at, last_failure_code from sign_in_ways',
      });
      const notes = new Map(rows.map((row) => [row.way, row]));
      return {
        rows: signInMethodsOf(config).map((way) => {
          const note = notes.get(way.id);
          const problem = problems.get(note?.last_failure_code ?? '');
          return {
            ...way,
            host: hosts.get(way.id) ?? '',
            lastSuccessAt: note?.last_success_at?.toISOString() ?? null,
            lastFailureAt: note?.last_failure_at?.toISOString() ?? null,
            lastFailure: problem
              ? createMessage(problem as MessageDefinition<'{provider} {reason}'>, {
                  provider: way.name,
                  reason: '–',
                })
              : null,
          };
        }),
      };
    }),
  ];
}
