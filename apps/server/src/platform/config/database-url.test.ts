import { expect, test } from 'vitest';
import { parseDatabaseUrl } from './database-url.ts';
import { readConfig } from './read-config.ts';

test.each([
  ['postgres://u:p@a/d', ['a', 5432], 'any'],
  ['postgresql://u:p@a:1,b/d?target_session_attrs=read-write', ['a', 1, 'b', 5432], 'read-write'],
  ['postgres://u:p%40@[::1]:5433,b:5434/d?target_session_attrs=primary', ['::1', 5433, 'b', 5434], 'primary'],
  ['postgres:///d?host=a,b&port=1&target_session_attrs=standby', ['a', 1, 'b', 1], 'standby'],
  ['postgres:///d?host=/var/run/postgresql', ['/var/run/postgresql', 5432], 'any'],
  [
    'postgres://%2Frun%2Fpg:5433,a/d?target_session_attrs=prefer-standby',
    ['/run/pg', 5433, 'a', 5432],
    'prefer-standby',
  ],
])('the hosts and the target of %s are read as libpq reads them', (text, hosts, target) => {
  const read = parseDatabaseUrl(text);
  expect(read?.hosts.flatMap(({ host, port }) => [host, port])).toEqual(hosts);
  expect(read?.target).toBe(target);
});

test('the URL with one host keeps the user, the password and the parameters', () => {
  expect(
    parseDatabaseUrl('postgres://u:p%40@a:1,b:2/d?target_session_attrs=primary&sslmode=verify-full')?.url,
  ).toBe('postgres://u:p%40@a:1/d?target_session_attrs=primary&sslmode=verify-full');
});

test.each([
  'mysql://a/d',
  'a,b',
  'postgres://u:p@a,/d',
  'postgres://u:p@a:0/d',
  'postgres://a:x/d',
  'postgres://a,b:x/d',
  'postgres://a,%ff/d',
  'postgres://a/d?target_session_attrs=writable',
  'postgres:///d?host=a,b,c&port=1,2',
])('%s is refused', (text) => {
  expect(parseDatabaseUrl(text)).toBeNull();
});

test.each([
  [
    'DATABASE_URL',
    'postgres://a:5432,b:5432/d',
    /DATABASE_URL: .*add target_session_attrs=read-write or primary/,
  ],
  ['DATABASE_URL', 'postgres://a,b/d?target_session_attrs=any', /add target_session_attrs=read-write/],
  ['DATABASE_URL', 'postgres://a/d?target_session_attrs=standby', /the server has to accept changes/],
  [
    'DATABASE_READ_URL',
    'postgres://a,b/d?target_session_attrs=replica',
    /DATABASE_READ_URL: .*host1:5432,host2:5432/,
  ],
])('the configuration refuses %s=%s and says why', (variable, url, message) => {
  expect(() => readConfig({ DATABASE_URL: 'postgres://a/d', [variable]: url })).toThrow(message);
});

test.each([
  ['postgres://u:p@/d?host=/cloudsql/p:r:i', 'postgres://u:p@localhost/d?host=/cloudsql/p:r:i'],
  ['postgres://u:5%off p%2F@a/d', 'postgres://u:5%25off%20p%2F@a/d'],
  ['postgres://u:p@a/d?sslmode=require', 'postgres://u:p@a/d?sslmode=verify-full'],
  [
    'postgres://u:p@a/d?sslmode=verify-ca&sslrootcert=/ca',
    'postgres://u:p@a/d?sslmode=verify-full&sslrootcert=/ca',
  ],
  ...['sslmode=require&uselibpqcompat=true', 'sslmode=no-verify', 'sslmode=disable'].map((parameters) => [
    `postgres://u:p@a/d?${parameters}`,
    `postgres://u:p@a/d?${parameters}`,
  ]),
])('the configuration reads %s as %s', (url, databaseUrl) => {
  expect(readConfig({ DATABASE_URL: url })).toMatchObject({ databaseUrl });
});

test('the configuration accepts several hosts', () => {
  const databaseUrl = 'postgres://a,b/d?target_session_attrs=read-write';
  const databaseReadUrl = 'postgres://a,b/d?target_session_attrs=prefer-standby';
  const config = readConfig({ DATABASE_URL: databaseUrl, DATABASE_READ_URL: databaseReadUrl });
  expect(config).toMatchObject({ databaseUrl, databaseReadUrl });
});
