import pino from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { createOutageLog } from './outage-log.ts';

let time: number;
let lines: { level: number; msg: string; err?: { stack: string } }[];
let outageLog: ReturnType<typeof createOutageLog>;
let logger: pino.Logger;
let pool: ReturnType<(typeof outageLog)['watch']>;

beforeEach(() => {
  time = Date.UTC(2026, 10, 30);
  lines = [];
  outageLog = createOutageLog(() => time);
  logger = pino(
    { hooks: outageLog.hooks },
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  );
  pool = outageLog.watch(logger);
});

const messages = () => lines.map(({ msg }) => msg);
const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

/** Fails to connect, and logs the error as a timer, a request and the mail queue do. */
function failWith(error: Error & { code?: string }): void {
  pool.onConnectFailure(error);
  logger.error({ err: error }, 'sending webhooks failed');
  logger.child({ reqId: '1' }).error({ err: error }, 'server.unavailable');
  logger.warn(
    { err: { code: error.code, message: `${error.message} (Queue: mail)` } },
    'the mail queue failed',
  );
}

test('an outage is logged at its start, each minute and at its end', () => {
  for (let second = 0; second <= 65; second += 1) {
    failWith(refused());
    time += 1_000;
  }
  pool.onConnect();
  pool.onConnect();
  expect(messages()).toEqual([
    'the database is unavailable: connect ECONNREFUSED 127.0.0.1:5432',
    'the database is unavailable since 2026-11-30T00:00:00.000Z: connect ECONNREFUSED 127.0.0.1:5432',
    'the database is available again after 66 s',
  ]);
  expect(lines.map(({ level }) => level)).toEqual([50, 50, 40]);
  failWith(refused());
  expect(messages()[3]).toBe('the database is unavailable: connect ECONNREFUSED 127.0.0.1:5432');
});

test('a host name with several addresses has an error without a message', () => {
  failWith(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
  expect(messages()).toEqual(['the database is unavailable: ECONNREFUSED']);
});

test('other errors are logged with their stacks during an outage', () => {
  pool.onConnectFailure(refused());
  const mailServer = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:25'), { code: 'ECONNREFUSED' });
  logger.error({ err: mailServer }, 'the mail queue failed');
  logger.error({ err: new TypeError('x is not a function') }, 'server.unexpected');
  expect(lines.slice(1).map(({ err }) => err?.stack.split('\n')[0])).toEqual([
    'Error: connect ECONNREFUSED 127.0.0.1:25',
    'TypeError: x is not a function',
  ]);
});

test('without an outage, errors of the database are logged, also when all connections are in use', () => {
  failWith(new Error('timeout exceeded when trying to connect'));
  expect(messages()).toEqual(['sending webhooks failed', 'server.unavailable', 'the mail queue failed']);
});

test('connections that break together are one line', () => {
  for (let count = 0; count < 16; count += 1) pool.onConnectionError(new Error('terminating connection'));
  expect(messages()).toEqual(['a database connection broke: terminating connection']);
});

test('connections that break while the server stops are not logged', () => {
  createOutageLog(
    () => time,
    () => true,
  )
    .watch(logger)
    .onConnectionError(new Error('terminating connection'));
  expect(lines).toEqual([]);
});
