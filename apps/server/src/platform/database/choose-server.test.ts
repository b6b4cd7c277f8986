/** Database URLs with several hosts (U1). With a cluster: tools/integration/failover.ts. */
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { startProxy } from '../../test/test-proxy.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';
import { openDatabase } from './database.ts';
import { openSnapshot } from './snapshot.ts';
import { connectAtStart, waitForDatabase } from './start-connection.ts';

/** Two databases that act as two servers: a proxy replaces the name of the first by that of the second. */
const nameOf = (url: string) => new URL(url).pathname.slice(1);

const setReadOnly = (value: 'on' | 'off') =>
  writable.asAdministrator(
    `alter database ${nameOf(readOnly.url)} set default_transaction_read_only = ${value}`,
  );

const writable = await createTestDatabase();
const readOnly = await createTestDatabase();
await setReadOnly('on');
const readOnlyServer = await startProxy(writable.url, nameOf(readOnly.url));
afterAll(async () => {
  readOnlyServer.close();
  await Promise.all([writable.drop(), readOnly.drop()]);
});

const unreachable = '127.0.0.1:1';
const writableHost = () => new URL(writable.url).host;
/** Returns the URL with other hosts; `other` distinguishes URLs, whose last server is remembered. */
const withHosts = (hosts: string[], target: string, other = 1) =>
  `${writable.url.replace(writableHost(), hosts.join())}?target_session_attrs=${target}&fallback_application_name=${other}`;

async function databaseAt(url: string): Promise<unknown> {
  const database = openDatabase(url);
  try {
    return (await database.query<{ name: string }>({ text: 'select current_database() as name' })).rows[0]
      ?.name;
  } finally {
    await database.end();
  }
}

test('a host that is unreachable, or is a standby or read-only, is skipped', async () => {
  const hosts = () => [unreachable, readOnlyServer.host, writableHost()];
  expect(await databaseAt(withHosts(hosts(), 'read-write'))).toBe(nameOf(writable.url));
  for (const target of ['read-only', 'any', 'primary', 'prefer-standby'])
    expect(await databaseAt(withHosts(hosts(), target))).toBe(nameOf(readOnly.url));
});

test('a host that accepts connections and never answers is skipped', async () => {
  const silent = await startProxy(writable.url);
  silent.dropPackets();
  expect(await databaseAt(withHosts([silent.host, writableHost()], 'read-write'))).toBe(nameOf(writable.url));
  silent.close();
});

test('without a suitable server, the error is unavailability and names each host and its reason', async () => {
  const error = await databaseAt(withHosts([unreachable, readOnlyServer.host], 'read-write')).catch(
    (reason: unknown) => reason,
  );
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(String(error)).toMatch(/127\.0\.0\.1:1: connect ECONNREFUSED.*; 127\.0\.0\.1:\d+: is read-only/);
  await expect(databaseAt(withHosts([writableHost()], 'standby'))).rejects.toThrow('is a primary');
});

test('a wrong password is reported as such, also if another host is unreachable', async () => {
  const wrong = new URL(writable.url);
  wrong.password = 'wrong-password';
  const url = `${wrong.href.replace(wrong.host, `${unreachable},${wrong.host}`)}?target_session_attrs=read-write`;
  await expect(databaseAt(url)).rejects.toMatchObject({ cause: { code: '28P01' } });
  await expect(connectAtStart({ url, variable: 'DATABASE_URL' })).rejects.toThrow(
    /Correct the user or the password in DATABASE_URL/,
  );
});

test('after a failover, queries and exports use the new primary', async () => {
  await setReadOnly('off');
  const url = withHosts([readOnlyServer.host, writableHost()], 'read-write', 2);
  const database = openDatabase(url, { maxConnections: 1 });
  const current = async () =>
    (await database.query<{ name: string }>({ text: 'select current_database() as name' })).rows[0]?.name;
  expect(await current()).toBe(nameOf(readOnly.url));
  await setReadOnly('on');
  // The demoted server restarts, which ends its connections.
  const end = database.query({ text: 'select pg_terminate_backend(pg_backend_pid())' });
  await expect(end).rejects.toSatisfy(isDatabaseUnavailable);
  expect(await current()).toBe(nameOf(writable.url));
  const snapshot = await openSnapshot(database);
  const { rows } = await snapshot.query({ text: 'select current_database() as name' });
  expect(rows).toEqual([{ name: nameOf(writable.url) }]);
  await snapshot.close();
  await database.end();
});

test('the start waits for a failover, and reports it once', async () => {
  await setReadOnly('on');
  const url = withHosts([unreachable, readOnlyServer.host], 'read-write', 3);
  const messages: string[] = [];
  await waitForDatabase({ url, variable: 'DATABASE_URL' }, async (message) => {
    messages.push(message);
    await setReadOnly('off');
  });
  await setReadOnly('on');
  expect(messages).toEqual([
    expect.stringMatching(
      /^The database test_\w+ cannot be used: no server .* correct DATABASE_URL\. Waiting/,
    ),
  ]);
});
