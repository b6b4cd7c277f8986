/** Lists are read from an up-to-date replica, otherwise from the primary (O2). With a real replica: tools/integration/replica.ts. */
import { beforeEach, expect, test } from 'vitest';
import type { Database, Queryable, QueryConfig } from './database.ts';
import { createReplicaReader } from './replica.ts';

let time: number;
/**
 * WAL position of the primary, and the position that the replica has replayed; null for a server that is no replica.
 */
let position: number;
let replayed: number | null;
let isUnavailable: boolean;
/** Error of every query on the replica. */
let broken: Error | null;
let statements: string[];
let messages: string[];
let reader: Queryable;

const lost = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function server(name: string): Queryable {
  return {
    async query<Row>({ text, values }: QueryConfig) {
      const row = (fields: object) => ({ rows: [fields] as Row[], rowCount: 1 });
      if (text.includes('pg_current_wal')) {
        statements.push('position');
        return row({ position: String(position) });
      }
      if (text.includes('pg_last_wal')) {
        time += 10;
        return row({ is_replica: replayed !== null, has_replayed: (replayed ?? 0) >= Number(values?.[0]) });
      }
      statements.push(name);
      if (name === 'replica' && broken) throw broken;
      return row({ from: name });
    },
  };
}

beforeEach(() => {
  [time, position, replayed, isUnavailable, broken, statements, messages] = [
    0,
    100,
    100,
    false,
    null,
    [],
    [],
  ];
  const replica: Pick<Database, 'transaction'> = {
    transaction: (work) => {
      if (isUnavailable) statements.push('knocked');
      return isUnavailable ? Promise.reject(lost()) : work(server('replica'));
    },
  };
  reader = createReplicaReader({
    primary: server('primary'),
    replica,
    now: () => time,
    onChange: (message) => messages.push(message),
  });
});

async function from(): Promise<string | undefined> {
  return (await reader.query<{ from: string }>({ text: 'select all of it' })).rows[0]?.from;
}

test('lists are read from an up-to-date replica; concurrent queries fetch the WAL position once', async () => {
  expect(await Promise.all([from(), from(), from()])).toEqual(['replica', 'replica', 'replica']);
  expect(statements.filter((one) => one === 'position')).toHaveLength(1);
  expect(messages).toEqual([]);
});

test('a query waits for a lagging replica, then reads from the primary', async () => {
  position = 101;
  const result = from();
  setTimeout(() => (replayed = 101), 25);
  expect(await result).toBe('replica');
  position = 102;
  expect(await from()).toBe('primary');
  expect(messages).toEqual([expect.stringContaining('is behind')]);
});

test('a lagging replica is skipped for one second, then tried again', async () => {
  position = 101;
  expect(await from()).toBe('primary');
  replayed = 101;
  statements = [];
  expect(await from()).toBe('primary');
  expect(statements).toEqual(['primary']);
  time += 1_000;
  expect(await from()).toBe('replica');
  expect(messages.at(-1)).toContain('again');
});

test('an unreachable replica is skipped for ten seconds, then tried by a single query', async () => {
  isUnavailable = true;
  expect(await from()).toBe('primary');
  expect(messages).toEqual([expect.stringMatching(/cannot be used.*connect ECONNREFUSED/)]);
  time += 9_999;
  expect(await from()).toBe('primary');
  time += 1;
  statements = [];
  expect(await Promise.all([from(), from(), from()])).toEqual(['primary', 'primary', 'primary']);
  expect(statements.filter((one) => one === 'knocked')).toHaveLength(1);
  expect(messages).toHaveLength(1);
  isUnavailable = false;
  time += 10_000;
  expect([await from(), await from()]).toEqual(['replica', 'replica']);
});

test('lists are not read from a server that is no longer a replica', async () => {
  replayed = null;
  expect(await from()).toBe('primary');
  expect(statements).not.toContain('replica');
});

test('a statement that the replica cancels runs on the primary, and the next one on the replica', async () => {
  broken = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
  expect(await from()).toBe('primary');
  broken = null;
  expect(await from()).toBe('replica');
  expect(messages).toEqual([]);
});
