/** Records the last success and failure of each sign-in method and lists them for Settings. */
import { requestErrors } from '@vestibule/contract/request-errors';
import { listSignInMethods, signInProblems } from '@vestibule/contract/sign-in';
import { createMessage, type MessageDefinition } from '@vestibule/contract/texts/text';
import type { Config } from '../../../platform/config/read-config.ts';
import { passkeyMethod, signInMethodsOf } from '../../../platform/config/sign-in-methods.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  type Database,
  type DatabaseDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';

/** Minimum time between two stored successes, or failures, of a sign-in method in one process. Failures are rarer, and can differ. */
const successEveryMs = 10_000;
const failureEveryMs = 1_000;

export type RecordProviderResult = (method: string, failure: string | null) => void;

/** Returns a function that writes in the background and ignores errors. `failure` is a problem code; null for a success. */
export function createProviderResultRecorder(deps: DatabaseDeps): RecordProviderResult {
  const writtenAt = new Map<string, number>();
  return (method, failure) => {
    const at = deps.now();
    const key = `${failure === null ? 'success' : 'failure'} ${method}`;
    if ((writtenAt.get(key) ?? 0) + (failure === null ? successEveryMs : failureEveryMs) > at) return;
    writtenAt.set(key, at);
    storeProviderResult(deps.database, method, failure, new Date(at)).catch(() => {});
  };
}

/** Stores a result. One that is stored late, such as through a new connection, does not replace a later one. */
export async function storeProviderResult(
  database: Queryable,
  method: string,
  failure: string | null,
  at: Date,
): Promise<void> {
  const column = failure === null ? 'last_success_at' : 'last_failure_at';
  await execute(database)`
    insert into sign_in_method_status as known (way, ${rawSql(column)}, last_failure_code)
      values (${method}, ${at}, ${failure})
    on conflict (way) do update set ${rawSql(column)} = excluded.${rawSql(column)},
      last_failure_code = coalesce(excluded.last_failure_code, known.last_failure_code)
    where coalesce(known.${rawSql(column)} <= excluded.${rawSql(column)}, true)`;
}

type MethodStatusRow = {
  way: string;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure_code: string | null;
};

const statusColumns = 'way, last_success_at, last_failure_at, last_failure_code';

// The texts of these problems have at most the placeholders below.
const problems = new Map<string, MessageDefinition>(
  [...Object.values(signInProblems), requestErrors.unavailable, requestErrors.unexpected].map((problem) => [
    problem.code,
    problem,
  ]),
);

function toStatus(row: MethodStatusRow | null | undefined, provider: string) {
  const problem = problems.get(row?.last_failure_code ?? '');
  return {
    lastSuccessAt: row?.last_success_at?.toISOString() ?? null,
    lastFailureAt: row?.last_failure_at?.toISOString() ?? null,
    lastFailure: problem
      ? createMessage(problem as MessageDefinition<'{provider} {reason}'>, { provider, reason: '–' })
      : null,
  };
}

/** Returns the last success and failure of one sign-in method. */
export async function readProviderStatus(database: Queryable, method: { id: string; name: string }) {
  const row = await rowOf<MethodStatusRow>(database)`
    select ${rawSql(statusColumns)} from sign_in_method_status where way = ${method.id}`;
  return toStatus(row, method.name);
}

export function signInMethodRoutes({
  config,
  database,
}: {
  config: Config;
  database: Database;
}): Implementation[] {
  const hosts = new Map([
    ...(config.provider ? [['b2c', new URL(config.provider.authBaseUrl).host] as const] : []),
    ...config.oidc.map(({ id, issuer }) => [id, new URL(issuer).host] as const),
    ...(config.passkeys ? [[passkeyMethod, config.passkeys.rpId] as const] : []),
  ]);
  return [
    implement(listSignInMethods, async () => {
      const rows = await rowsOf<MethodStatusRow>(database)`
        select ${rawSql(statusColumns)} from sign_in_method_status`;
      const statuses = new Map(rows.map((row) => [row.way, row]));
      return {
        rows: signInMethodsOf(config).map((method) => {
          const status = toStatus(statuses.get(method.id), method.name);
          return { ...method, host: hosts.get(method.id) ?? '', ...status };
        }),
      };
    }),
  ];
}
