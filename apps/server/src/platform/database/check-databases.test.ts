import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../test/database/test-database.ts';
import { startPooler } from '../../test/database/test-pooler.ts';
import { checkDatabases, checkReplica, findLocaleWarning } from './check-databases.ts';

const one = await createTestDatabase();
afterAll(() => one.drop());

const check = (application: string, owner: string) =>
  checkDatabases(
    { url: application, variable: 'DATABASE_URL' },
    { url: owner, variable: owner === application ? 'DATABASE_URL' : 'DATABASE_OWNER_URL' },
  );
const changed = (url: string, parts: Partial<URL>) => Object.assign(new URL(url), parts).href;

test('two roles of one database are accepted, and so is one role for both purposes', async () => {
  await expect(check(one.applicationUrl, one.url)).resolves.toBeUndefined();
  await expect(check(one.url, one.url)).resolves.toBeUndefined();
});

test('DATABASE_URL and DATABASE_OWNER_URL of different databases are refused', async () => {
  const other = await createTestDatabase();
  await expect(check(one.applicationUrl, other.url)).rejects.toThrow(
    /DATABASE_URL and DATABASE_OWNER_URL name different databases/,
  );
  await other.drop();
});

test('DATABASE_URL and DATABASE_OWNER_URL with the same role are refused', async () => {
  const again = `${one.url}?application_name=again`;
  await expect(check(one.url, again)).rejects.toThrow(/name the same role, vestibule/);
});

test('a connection error names the variable to correct and how to correct it', async () => {
  const wrong = changed(one.url, { password: 'wrong-password' });
  const error = await check(one.applicationUrl, wrong).catch(String);
  expect(error).toMatch(/Correct the user or the password in DATABASE_OWNER_URL/);
  expect(error).not.toContain('wrong-password');
  await expect(check(changed(one.applicationUrl, { password: 'wrong' }), one.url)).rejects.toThrow(
    /Correct the user or the password in DATABASE_URL/,
  );
  await expect(check(changed(one.applicationUrl, { password: '' }), one.url)).rejects.toThrow(
    /Correct the user or the password in DATABASE_URL/,
  );
  await expect(check(changed(one.applicationUrl, { pathname: '/nothing-here' }), one.url)).rejects.toThrow(
    /Create it, or correct the name in DATABASE_URL/,
  );
  await expect(check(changed(one.applicationUrl, { port: '1' }), one.url)).rejects.toThrow(
    /ECONNREFUSED.* Start it, or correct DATABASE_URL/,
  );
  const noHost = changed(one.applicationUrl, { hostname: 'no-such-host.invalid' });
  await expect(check(noHost, one.url)).rejects.toThrow(/correct the host in DATABASE_URL/);
  await expect(check(changed(one.url, { search: '?sslmode=require' }), one.url)).rejects.toThrow(
    /does not support SSL connections\. Enable TLS in PostgreSQL, or remove sslmode from DATABASE_URL/,
  );
  const noFile = changed(one.url, { search: '?sslmode=verify-full&sslrootcert=/nowhere.pem' });
  await expect(check(one.applicationUrl, noFile)).rejects.toThrow(
    /^DATABASE_OWNER_URL cannot be used: ENOENT.*nowhere\.pem'\. Correct sslrootcert/,
  );
});

test('a schema other than public is refused, such as one named like the user', async () => {
  const client = new pg.Client(one.url);
  await client.connect();
  await client.query('create schema authorization current_user');
  await expect(check(one.url, one.url)).rejects.toThrow(/Vestibule needs the schema public/);
  await client.query('drop schema vestibule');
  await client.end();
});

test.each([1, 2, 5])(
  'a pooler in transaction mode with %i server connections is refused',
  async (backends) => {
    const pooler = await startPooler(one.url, backends);
    await expect(check(pooler.url, pooler.url)).rejects.toThrow(
      /DATABASE_URL leads through a pooler in transaction mode/,
    );
    await pooler.close();
  },
);

test('a replica behind a pooler in transaction mode is refused; an unreachable replica is a warning', async () => {
  const checkReplicaAt = (url: string) => checkReplica({ url, variable: 'DATABASE_READ_URL' });
  const pooler = await startPooler(one.url, 2);
  await expect(checkReplicaAt(pooler.url)).rejects.toThrow(
    /^DATABASE_READ_URL leads through a pooler in transaction mode/,
  );
  await pooler.close();
  await expect(checkReplicaAt(one.url)).resolves.toBeNull();
  for (const parts of [{ port: '1' }, { password: 'wrong' }, { pathname: '/nothing-here' }])
    await expect(checkReplicaAt(changed(one.url, parts))).resolves.toMatch(
      /^the replica of DATABASE_READ_URL cannot be used\. .* DATABASE_READ_URL\.$/,
    );
});

const slow = 'searches for letters outside ASCII are slow';
const unicodeLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
test.each([
  [
    'C',
    `locale_provider libc locale 'C'`,
    expect.stringContaining(`LC_CTYPE C: ${slow} and treat Ä and ä as different letters. `),
  ],
  [
    'C with the builtin provider',
    `locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`,
    expect.stringContaining(`LC_CTYPE C: ${slow}. `),
  ],
  [unicodeLocale, `locale_provider libc locale '${unicodeLocale}'`, null],
])(
  'findLocaleWarning returns the limits of searches with LC_CTYPE %s, or null without limits',
  async (_, options, expected) => {
    const database = await createEmptyDatabase(`encoding 'UTF8' ${options} template template0`);
    const warning = await findLocaleWarning({ url: database.url, variable: 'DATABASE_URL' });
    await database.drop();
    expect(warning).toEqual(expected);
  },
);
