/** The log is append-only: by the rights of the application's role, and by a trigger for other roles (security 49). */
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '../database/database.ts';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { recordChange } from './audit-log.ts';

const databases: Record<string, Database> = {};
const testDatabase = await createTestDatabase();
databases['application'] = openDatabase(testDatabase.applicationUrl);
databases['owner'] = openDatabase(testDatabase.url);
await recordChange(databases['application'], {
  action: 'test.done',
  actor: null,
  target: { type: 'test', id: '1', label: 'one' },
  origin: { requestId: 'r', address: '127.0.0.1' },
});
afterAll(async () => {
  for (const database of Object.values(databases)) await database.end();
  await testDatabase.drop();
});

const run = (who: string, text: string) => (databases[who] as Database).query<object>({ text });
const changes = [
  ['audit_log', 'action'],
  ['audit_chain', 'mac'],
].flatMap(([table, column]) => [
  `update ${table} set ${column} = ${column}`,
  `update ${table} set ${column} = ${column} where false`,
  `delete from ${table}`,
  `truncate ${table}`,
]);

describe.each([
  ['application', /permission denied/],
  ['owner', /only grows/],
])('as the %s', (who, reason) => {
  test.each(changes)('"%s" is refused, and no row is deleted (security 49)', async (statement) => {
    await expect(run(who, statement)).rejects.toThrow(reason);
    expect((await run(who, 'select from audit_log')).rowCount).toBe(1);
  });
});

test('the role of the application owns no tables and cannot remove the trigger (security 49)', async () => {
  for (const statement of [
    'alter table audit_log disable trigger audit_log_only_grows',
    'drop trigger audit_log_only_grows on audit_log',
    'drop table audit_log',
    'create or replace function refuse_change() returns trigger language sql as $$ $$',
    'set session authorization vestibule',
    'set role vestibule',
    'create table of_my_own ()',
    'delete from schema_migrations',
  ])
    await expect(run('application', statement)).rejects.toBeInstanceOf(pg.DatabaseError);
  const { rows } = await run(
    'application',
    `select relname from pg_class join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'jobs') and relowner = current_user::regrole`,
  );
  expect(rows).toEqual([]);
});

test('the role of the application cannot run statements as the owner by a temporary table (security 49)', async () => {
  await run(
    'application',
    `create temporary table attachments (sharing text, version int, owner_id uuid);
     grant all on pg_temp.attachments to public;
     create function pg_temp.delete_log() returns trigger language plpgsql as $$ begin
       perform set_config('vestibule.change_of_log', 'by its functions', true);
       delete from public.audit_log;
       return null;
     end $$;
     create trigger delete_log before update on pg_temp.attachments for each statement execute function pg_temp.delete_log();
     delete from memberships where false`,
  );
  expect((await run('owner', 'select from audit_log')).rowCount).toBe(1);
});

test('the role of the application cannot change the statements that the owner runs for the mail queue (security 49)', async () => {
  for (const statement of [
    `insert into jobs.bam (name, version, status, queue, table_name, command)
     values ('x', 1, 'pending', 'mail', 'job_common', 'delete from audit_log')`,
    `update jobs.bam set command = 'delete from audit_log'`,
    `insert into jobs.queue select * from jobs.queue`,
    `update jobs.queue set table_name = 'job_common, audit_log'`,
    `update jobs.queue set name = 'x'`,
  ])
    await expect(run('application', statement)).rejects.toThrow('permission denied');
});
