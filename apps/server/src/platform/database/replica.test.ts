/** Lists are read from an up-to-date replica, otherwise from the primary (O2). With a real replica: tools/integration/replica.ts. */
import { beforeEach, expect, test } from 'vitest';
import type { Database, Queryable, QueryConfig } from './database.ts';
import { createReplicaReader } from './replica.ts';

let time: number;
/** WAL position of the primary, and the one that the replica has replayed: null for a server that is no replica. */
let position: number;
let replayed: number | null;
let isAway: boolean;
/** Error of every query on the replica. */
let broken: Error | null;
let asked: string[];
let said: string[];
let reader: Queryable;

const lost = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function server(name: string): Queryable {
  return {
    async query<Row>({ text, values }: QueryConfig) {
      const row = (fields: object) => ({ rows: [fields] as Row[], rowCount: 1 });
      if (text.includes('pg_current_wal')) {
        asked.push('position');
        return row({ position: String(position) });
      }
      if (text.includes('pg_last_wal')) {
        time += 10;
        return row({ has_replayed: replayed === null ? null : replayed >= Number(values?.[0]) });
      }
      asked.push(name);
      if (name === 'replica' && broken) throw broken;
      return row({ from: name });
    },
  };
}

beforeEach(() => {
  [time, position, replayed, isAway, broken, asked, said] = [0, 100, 100, false, null, [], []];
  const replica: Pick<Database, 'transaction'> = {
    transaction: (work) => {
      if (isAway) asked.push('knocked');
      return isAway ? Promise.reject(lost()) : work(server('replica'));
    },
  };
  reader = createReplicaReader({
    primary: server('primary'),
    replica,
    now: () => time,
    onChange: (message) => said.push(message),
  });
});

async function from(): Promise<string | undefined> {
  return (await reader.query<{ from: string }>({ text: 'select all of it' })).rows[0]?.from;
}

test('lists are read from an up-to-date replica; concurrent queries fetch the WAL position once', async () => {
  expect(await Promise.all([from(), from(), from()])).toEqual(['replica', 'replica', 'replica']);
  expect(asked.filter((one) => one === 'position')).toHaveLength(1);
  expect(said).toEqual([]);
});

test('a query waits for a lagging replica, then reads from the primary', async () => {
  position = 101;
  const answer = from();
  setTimeout(() => (replayed = 101), 25);
  expect(await answer).toBe('replica');
  position = 102;
  expect(await from()).toBe('primary');
  expect(said).toEqual([expect.stringContaining('is behind')]);
});

test('a lagging replica is skipped for one second, then tried again', async () => {
  position = 101;
  expect(await from()).toBe('primary');
  replayed = 101;
  asked = [];
  expect(await from()).toBe('primary');
  expect(asked).toEqual(['primary']);
  time += 1_000;
  expect(await from()).toBe('replica');
  expect(said.at(-1)).toContain('again');
});

test('an unreachable replica is skipped for ten seconds, then tried by a single query', async () => {
  isAway = true;
  expect(await from()).toBe('primary');
  expect(said).toEqual([expect.stringContaining('does not answer')]);
  time += 9_999;
  expect(await from()).toBe('primary');
  time += 1;
  asked = [];
  expect(await Promise.all([from(), from(), from()])).toEqual(['primary', 'primary', 'primary']);
  expect(asked.filter((one) => one === 'knocked')).toHaveLength(1);
  expect(said).toHaveLength(1);
  isAway = false;
  time += 10_000;
  expect([await from(), await from()]).toEqual(['replica', 'replica']);
});

test('lists are not read from a server that is no longer a replica', async () => {
  replayed = null;
  expect(await from()).toBe('primary');
  expect(asked).not.toContain('replica');
});

test('a statement that the replica cancels runs on the primary, and the next one on the replica', async () => {
  broken = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
  expect(await from()).toBe('primary');
  broken = null;
  expect(await from()).toBe('replica');
  expect(said).toEqual([]);
});
