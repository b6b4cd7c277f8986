/**
 * Connects to the suitable server of a database URL with several hosts, or with target_session_attrs. Before each
 * connection, a separate one checks the server, because a pg.Client cannot be reused for another host.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';
import {
  parseDatabaseUrl,
  type DatabaseHost,
  type DatabaseUrl,
  type TargetSessionAttributes,
} from '../config/database-url.ts';
import { describeError, isDatabaseUnavailable, UnsuitableServerError } from './database-unavailable.ts';

/** Time limit for connecting to a server, and for its response. */
const checkTimeoutMs = 2_000;
/** A server that has not answered by then is still waited for, while the next one is tried. */
const headStartMs = 500;

type ServerState = { isStandby: boolean; isReadOnly: boolean };

const isSuitable: Record<
  Exclude<TargetSessionAttributes, 'prefer-standby'>,
  (state: ServerState) => boolean
> = {
  any: () => true,
  'read-write': ({ isStandby, isReadOnly }) => !isStandby && !isReadOnly,
  'read-only': ({ isStandby, isReadOnly }) => isStandby || isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
};

/** Server that was suitable last, by URL. It is tried first. */
const lastHosts = new Map<string, DatabaseHost>();

/** Returns the options of pg.Pool and of the returned client class for a database URL. */
export function connectionOptions(text: string): { connectionString: string; Client: typeof pg.Client } {
  const parsed = parseDatabaseUrl(text);
  if (!parsed || (parsed.hosts.length === 1 && parsed.target === 'any'))
    return { connectionString: text, Client: pg.Client };
  let choosing: Promise<DatabaseHost> | undefined;
  // Concurrent connections share the check.
  const choose = () => (choosing ??= chooseHost(text, parsed).finally(() => (choosing = undefined)));

  class ChoosingClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
    override connect(callback?: (error: Error | null, client?: pg.Client) => void): unknown {
      const connect = () => this.#connectToChosen();
      return callback ? callbackify(connect)(callback) : connect();
    }

    async #connectToChosen(): Promise<pg.Client> {
      Object.assign(this, await choose());
      return super.connect();
    }
  }
  return { connectionString: parsed.url, Client: ChoosingClient };
}

async function chooseHost(text: string, { url, hosts, target }: DatabaseUrl): Promise<DatabaseHost> {
  const last = lastHosts.get(text);
  const inOrder = last ? [last, ...hosts.filter((host) => host !== last)] : hosts;
  const find = (wanted: Exclude<TargetSessionAttributes, 'prefer-standby'>) =>
    findHost(inOrder, (host) => checkHost(url, host, isSuitable[wanted]));
  try {
    const host = await (target === 'prefer-standby'
      ? find('standby').catch(() => find('any'))
      : find(target));
    lastHosts.set(text, host);
    return host;
  } catch (error) {
    const failures = failuresOf(error);
    // A wrong password or database name needs a correction of the URL; waiting does not help.
    const refused = failures.find(({ cause }) => !isDatabaseUnavailable(cause));
    if (refused) throw refused.cause;
    const described = failures.map(({ message }) => message).join('; ');
    throw new UnsuitableServerError(`no server for target_session_attrs=${target} (${described})`);
  }
}

/** Returns the first host that passes the check. A host that does not answer delays the next one only briefly. */
async function findHost(
  [first, ...rest]: DatabaseHost[],
  check: (host: DatabaseHost) => Promise<DatabaseHost>,
): Promise<DatabaseHost> {
  const checking = check(first as DatabaseHost);
  if (rest.length === 0) return checking;
  const found = await Promise.race([checking.catch(() => null), delay(headStartMs, null, { ref: false })]);
  return found ?? Promise.any([checking, findHost(rest, check)]);
}

async function checkHost(
  url: string,
  host: DatabaseHost,
  accepts: (state: ServerState) => boolean,
): Promise<DatabaseHost> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'vestibule check',
    connectionTimeoutMillis: checkTimeoutMs,
    query_timeout: checkTimeoutMs,
  });
  client.on('error', () => {});
  Object.assign(client, host);
  try {
    await client.connect();
    const { rows } = await client.query<ServerState>(
      `select pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only') = 'on' as "isReadOnly"`,
    );
    const state = rows[0] as ServerState;
    if (accepts(state)) return host;
    throw new UnsuitableServerError(
      state.isStandby ? 'is a standby' : state.isReadOnly ? 'is read-only' : 'is a primary',
    );
  } catch (cause) {
    throw new HostError(host, cause);
  } finally {
    client.end().catch(() => {});
  }
}

class HostError extends Error {
  constructor({ host, port }: DatabaseHost, cause: unknown) {
    super(`${host}:${port}: ${describeError(cause)}`, { cause });
  }
}

const failuresOf = (error: unknown): Error[] =>
  error instanceof AggregateError ? error.errors.flatMap(failuresOf) : [error as Error];
