/** The rights of the application's role. Rights that it must not have: e2e/process/process.spec.ts. */
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { grantApplicationRights } from './application-role.ts';
import { openDatabase } from './database.ts';

test('grantApplicationRights grants rights to the role in the query parameter `user` of DATABASE_URL', async () => {
  const testDatabase = await createTestDatabase();
  const { username, password } = new URL(testDatabase.applicationUrl);
  const inQuery = `${testDatabase.url}?user=${username}&password=${password}`;
  const owner = openDatabase(testDatabase.url);
  const application = openDatabase(inQuery);
  await owner.query({ text: 'create table of_a_later_version (id int)' });
  await grantApplicationRights(testDatabase.url, inQuery);
  const { rows } = await application.query({
    text: 'select current_user as role, count(*) as count from of_a_later_version',
  });
  expect(rows).toEqual([{ role: username, count: 0 }]);
  await Promise.all([owner.end(), application.end()]);
  await testDatabase.drop();
});

test('grantApplicationRights makes functions with the rights of the owner search temporary tables last', async () => {
  const testDatabase = await createTestDatabase();
  const owner = openDatabase(testDatabase.url);
  await owner.query({
    text: 'create function of_an_extension() returns int language sql security definer as $$ select 1 $$',
  });
  await grantApplicationRights(testDatabase.url, testDatabase.applicationUrl);
  const { rows } = await owner.query({
    text: `select proname, proconfig from pg_proc
           where prosecdef and (proconfig @> array['search_path=public, pg_temp']) is not true`,
  });
  expect(rows).toEqual([]);
  await owner.end();
  await testDatabase.drop();
});

test('grantApplicationRights prevents every role from creating objects, as PostgreSQL 14 allows, or returns a warning', async () => {
  const testDatabase = await createTestDatabase();
  const owner = openDatabase(testDatabase.url);
  const grant = () => grantApplicationRights(testDatabase.url, testDatabase.applicationUrl);
  await owner.query({ text: 'grant create on schema public to public' });
  expect(await grant()).toBeNull();
  const application = openDatabase(testDatabase.applicationUrl);
  await expect(application.query({ text: 'create table own (id int)' })).rejects.toThrow('permission denied');
  await testDatabase.asAdministrator('alter schema public owner to current_user');
  await testDatabase.asAdministrator('grant create on schema public to public');
  expect(await grant()).toContain('As a superuser, run there: revoke create on schema public from public');
  await Promise.all([owner.end(), application.end()]);
  await testDatabase.drop();
});
