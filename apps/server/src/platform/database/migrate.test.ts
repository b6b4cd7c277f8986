import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartUpError } from '../config/start-up-error.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { hasRow, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { createEmptyDatabase, createTestDatabase } from '../../test/database/test-database.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let directory: string;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'vestibule-migrate-'));
  const database = openDatabase(testDatabase.url);
  await database.query({ text: 'drop table schema_migrations' });
  await database.end();
});

afterEach(async () => {
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

const write = (name: string, text: string) => writeFile(join(directory, name), text);
const run = (options: Parameters<typeof migrate>[2] = {}) =>
  migrate({ url: testDatabase.url, variable: 'DATABASE_URL' }, directory, options);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const recordChecksum = (name: string, checksum: string) =>
  testDatabase.asAdministrator(
    `update schema_migrations set checksum = '${checksum}' where name = '${name}'`,
  );

async function countRows(table: string): Promise<unknown> {
  const database = openDatabase(testDatabase.url);
  try {
    return (await database.query<{ count: number }>({ text: `select count(*) from ${table}` })).rows[0]
      ?.count;
  } finally {
    await database.end();
  }
}

test('migrations are applied in order and once', async () => {
  await write('902-second.sql', 'insert into steps values (2)');
  await write('901-first.sql', 'create table steps (id int); insert into steps values (1)');
  expect(await run()).toEqual(['901-first.sql', '902-second.sql']);
  expect(await run()).toEqual([]);
  await write('903-third.sql', 'insert into steps values (3)');
  expect(await run()).toEqual(['903-third.sql']);
  expect(await countRows('steps')).toBe(3);
});

test('a migration locks its tables in the order of requests, which are not aborted as deadlocks', async () => {
  await write('901-tables.sql', 'create table one (id int); create table other (id int)');
  await run();
  await write(
    '902-columns.sql',
    `-- Locks: other, one in access exclusive mode
     alter table one add column added int; alter table other add column added int`.replaceAll(/^ +/gm, ''),
  );
  const database = openDatabase(testDatabase.url);
  let migrating: Promise<string[]> | undefined;
  await database.transaction(async (request) => {
    await request.query({ text: 'insert into other values (1)' });
    migrating = run();
    const waits = async () =>
      hasRow(request, `select from pg_locks where not granted and relation = 'other'::regclass`, []);
    await expect.poll(waits, { timeout: 30_000 }).toBe(true);
    expect((await request.query({ text: 'select count(*) as count from one' })).rows).toEqual([{ count: 0 }]);
  });
  expect(await migrating).toEqual(['902-columns.sql']);
  await database.end();
});

test('processes that start at once apply a migration once', async () => {
  await write('901-first.sql', 'create table steps (id int); select pg_sleep(0.05)');
  const applied = await Promise.all([run(), run(), run(), run()]);
  expect(applied.flat()).toEqual(['901-first.sql']);
});

test('a migration run reports that it waits for another process, and fails after its time limit', async () => {
  await write('901-first.sql', 'select 1');
  const database = openDatabase(testDatabase.url);
  const notes: string[] = [];
  await database.transaction(
    async (transaction) => {
      await transaction.query({ text: `select pg_advisory_xact_lock(${advisoryLocks.migrations})` });
      await expect(run({ lockTimeoutMs: 3_200, onNotice: (note) => notes.push(note) })).rejects.toThrow(
        /Another process has been migrating this database for too long/,
      );
    },
    { withinMs: 9_000 },
  );
  expect(notes).toEqual(['waiting for another process that migrates the database']);
  expect(await run()).toEqual(['901-first.sql']);
  await database.end();
});

test('a failed migration changes nothing and can be corrected', async () => {
  await write('901-first.sql', 'create table steps (id int); select nothing');
  await expect(run()).rejects.toThrow(
    /901-first.sql failed and changed nothing: column "nothing" does not exist/,
  );
  await write('901-first.sql', 'create table steps (id int)');
  expect(await run()).toEqual(['901-first.sql']);
});

test('an applied migration that was edited is refused', async () => {
  await write('901-first.sql', 'create table steps (id int)');
  await run();
  await write('901-first.sql', 'create table steps (id bigint)');
  await expect(run()).rejects.toThrow(/901-first.sql was edited after/);
});

test('a comment line of an applied migration can be edited', async () => {
  await write('901-first.sql', '-- Steps.\ncreate table steps (\n  -- Of a step.\n  id int\n);\n');
  await run();
  await write('901-first.sql', 'create table steps (\n  -- Unique.\r\n  --\n  id int\n);\n-- End.\n');
  expect(await run()).toEqual([]);
});

test('a checksum that an earlier version computed from the whole text is accepted for an unchanged migration', async () => {
  const text = '-- Steps.\ncreate table steps (id int);\n';
  await write('901-first.sql', text);
  await run();
  await recordChecksum('901-first.sql', sha256(text));
  expect(await run()).toEqual([]);
});

test('after an edit of its comments, a migration is accepted by a checksum of its earlier whole text only if it names that checksum', async () => {
  await write('901-first.sql', '-- Steps.\ncreate table steps (id int);\n');
  await run();
  const earlier = sha256('-- In old words.\ncreate table steps (id int);\n');
  await recordChecksum('901-first.sql', earlier);
  await expect(run()).rejects.toThrow(/901-first.sql was edited after/);
  await write('901-first.sql', `-- Earlier checksum: ${earlier}\n-- Steps.\ncreate table steps (id int);\n`);
  expect(await run()).toEqual([]);
});

test('an edited statement is refused even if the migration names an earlier checksum', async () => {
  const earlier = `-- Earlier checksum: ${sha256('other text')}\n`;
  await write('901-first.sql', `${earlier}create table steps (id int);\n`);
  await run();
  await write('901-first.sql', `${earlier}create table steps (id bigint);\n`);
  await expect(run()).rejects.toThrow(/901-first.sql was edited after/);
});

test('a database that a newer version has migrated is refused', async () => {
  await write('901-first.sql', 'select 1');
  await write('902-second.sql', 'select 1');
  await run();
  await rm(join(directory, '902-second.sql'));
  await expect(run()).rejects.toThrow(/a newer version has used it/);
});

test('a migration numbered before an applied one is refused', async () => {
  await write('902-second.sql', 'select 1');
  await run();
  await write('901-first.sql', 'select 1');
  await expect(run()).rejects.toThrow(/Give it a higher number/);
  // The order is checked separately for Vestibule's migrations and a team's.
  await rm(join(directory, '901-first.sql'));
  await write('098-of-vestibule.sql', 'select 1');
  expect(await run()).toEqual(['098-of-vestibule.sql']);
  await write('097-late.sql', 'select 1');
  await expect(run()).rejects.toThrow(/097-late.sql comes before 098-of-vestibule.sql/);
});

test.each(['1-short.sql', 'first.sql'])('a file named %s is refused', async (name) => {
  await write(name, 'select 1');
  await expect(run()).rejects.toThrow(/needs a unique number/);
});

test('two migrations with one number are refused', async () => {
  await write('901-first.sql', 'select 1');
  await write('901-other.sql', 'select 1');
  await expect(run()).rejects.toThrow(/needs a unique number/);
});

test('the error for an unreachable database names it without its password (O4)', async () => {
  const url = 'postgres://ada:secret@127.0.0.1:1/none';
  const error = await migrate({ url, variable: 'DATABASE_URL' }, directory).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartUpError);
  expect(String(error)).toMatch(/The database none at 127.0.0.1:1 cannot be used: .*ECONNREFUSED/);
  expect(String(error)).not.toContain('secret');
});

test('the indexes of a collation are rebuilt once after an update of ICU', async () => {
  const notices: string[] = [];
  const options = { onNotice: (message: string) => notices.push(message) };
  await run(options);
  expect(notices).toEqual([]);
  await testDatabase.asAdministrator(
    `update pg_collation set collversion = '1.0' where collname = 'alphabetical'`,
  );
  await run(options);
  await run(options);
  expect(notices).toEqual(['ICU has been updated: rebuilding the indexes of the collation alphabetical']);
});

test('a database without ICU is refused', async () => {
  await testDatabase.asAdministrator(`delete from pg_collation where collprovider = 'i'`);
  await expect(run()).rejects.toThrow('This PostgreSQL was built without ICU');
});

test('a database whose encoding is not UTF8 is refused', async () => {
  const latin = await createEmptyDatabase(`encoding 'LATIN1' locale 'C' template template0`);
  const started = migrate({ url: latin.url, variable: 'DATABASE_URL' }, directory);
  await expect(started).rejects.toThrow('has the encoding LATIN1; Vestibule needs UTF8');
  await latin.drop();
});

describe('the migrations of an extension', () => {
  const extensions = () => [{ name: 'spare-parts', directory: join(directory, 'parts') }];
  const writeOwn = async (name: string, text: string) => {
    await mkdir(join(directory, 'parts'), { recursive: true });
    await write(join('parts', name), text);
  };
  const runWith = (options: Parameters<typeof migrate>[2] = {}) =>
    run({ extensions: extensions(), ...options });

  test("have their own numbers, and are recorded with the extension's name", async () => {
    await write('901-first.sql', 'select 1');
    await writeOwn('001-parts.sql', 'create table spare_parts (id int)');
    expect(await runWith()).toEqual(['901-first.sql', 'spare-parts/001-parts.sql']);
    await writeOwn(
      '002-orders.sql',
      'create table spare_parts_orders (id int); alter table spare_parts add name text',
    );
    expect(await runWith()).toEqual(['spare-parts/002-orders.sql']);
    await writeOwn('002-orders.sql', 'select 2');
    await expect(runWith()).rejects.toThrow('The migration spare-parts/002-orders.sql was edited after');
  });

  const functionOf = (name: string, body: string) =>
    `create or replace function ${name}() returns trigger language plpgsql as 'begin ${body} end'`;
  const outside: [what: string, statement: string, object: string][] = [
    ['creates a table', 'create table other (id int)', 'table other'],
    ['creates a table in another schema', 'create schema s; create table s.spare_parts_x (id int)', ''],
    ['creates a view', 'create view others as select 1 as one', 'table others'],
    ['creates a function', functionOf('others', 'return new;'), 'function others'],
    ['creates a type', `create type others as enum ('one')`, 'type others'],
    ['adds a column', 'alter table people add shoe_size int', 'table people'],
    ['drops a default', 'alter table people alter status drop default', 'table people'],
    ['drops a constraint', 'alter table memberships drop constraint memberships_pkey', 'table memberships'],
    ['adds a check', 'alter table people add check (id is not null)', 'table people'],
    ['adds an index', 'create index spare_parts_people on people (status)', 'table people'],
    ['drops an index', 'drop index audit_log_actor', 'table audit_log'],
    [
      'adds a trigger',
      `${functionOf('spare_parts_run', 'return null;')};
       create trigger spare_parts_run before delete on people for each row execute function spare_parts_run()`,
      'table people',
    ],
    ['disables triggers', 'alter table audit_log disable trigger user', 'table audit_log'],
    ['adds a rule', 'create rule spare_parts as on delete to people do instead nothing', 'table people'],
    ['adds a policy', 'create policy spare_parts on people using (false)', 'table people'],
    ['enables row security', 'alter table people enable row level security', 'table people'],
    ['grants rights', 'grant select on people to public', 'table people'],
    ['grants rights on a column', 'grant select (email) on people to public', 'table people'],
    ['inherits a table', 'create table spare_parts_people () inherits (people)', 'table people'],
    ['adds statistics', 'create statistics spare_parts on role, status from people', 'table people'],
    ['replaces a function', '', 'function'],
    ['deletes a table', 'drop table grid_states', 'table grid_states'],
    ['truncates a table', 'truncate grid_states', 'table grid_states'],
    [
      'changes default privileges',
      'alter default privileges grant select on tables to public',
      'default privileges',
    ],
  ];
  test('are rolled back if one changes something outside of its name space', async () => {
    for (const [what, statement, object] of outside) {
      const sql = statement || functionOf('delete_files_of_records', 'return null;');
      await writeOwn('001-parts.sql', `create table spare_parts (id int); ${sql}`);
      const message = await runWith().then(() => `${what}: applied`, String);
      expect(message).toContain(
        `The migration spare-parts/001-parts.sql failed and changed nothing: it changes the ${object}`,
      );
      expect(message).toContain(
        'Those of the extension spare-parts are named spare_parts or begin with spare_parts_',
      );
      await expect(countRows('spare_parts')).rejects.toThrow('does not exist');
    }
  });

  test('can use everything within its name space, and temporary tables', async () => {
    await writeOwn(
      '001-parts.sql',
      `create type spare_parts_kind as enum ('a');
       create table spare_parts (
         id serial primary key, kind spare_parts_kind not null default 'a', parent int references spare_parts,
         person_id uuid references people on delete cascade, organization_id uuid references organizations on delete cascade);
       ${functionOf('spare_parts_run', 'return new;')};
       create trigger run before insert on spare_parts for each row execute function spare_parts_run();
       create index by_person on spare_parts (person_id);
       create view spare_parts_view as select spare_parts.* from spare_parts join people on people.id = person_id;
       create policy own on spare_parts using (true);
       grant select on spare_parts to public;
       create temporary table scratch (id int) on commit drop;
       create extension if not exists citext;
       insert into spare_parts default values`,
    );
    expect(await runWith()).toEqual(['spare-parts/001-parts.sql']);
  });

  test('fail without a change, and name the file', async () => {
    await writeOwn('001-parts.sql', 'create table spare_parts (id int); select nothing');
    await expect(runWith()).rejects.toThrow(
      'The migration spare-parts/001-parts.sql failed and changed nothing: column "nothing" does not exist',
    );
  });

  test('are refused if Vestibule has a table of that name', async () => {
    await writeOwn('001-people.sql', 'select 1');
    const ofPeople = [{ name: 'people', directory: join(directory, 'parts') }];
    await expect(run({ extensions: ofPeople })).rejects.toThrow(
      /: the \w+ people\w* existed before the extension people\. Give the extension another name/,
    );
  });

  test('remain after the extension was removed, with a notice that names its tables', async () => {
    await writeOwn('001-parts.sql', 'create table spare_parts (id int)');
    await runWith();
    const notices: string[] = [];
    await run({ onNotice: (message) => notices.push(message) });
    expect(notices).toEqual([
      "the extension spare-parts is not installed, but its tables remain. To delete its data: drop table spare_parts; delete from schema_migrations where name like 'spare-parts/%'",
    ]);
    expect(await runWith()).toEqual([]);
  });

  test('of a newer version of the extension are refused by an older one', async () => {
    await writeOwn('001-parts.sql', 'select 1');
    await writeOwn('002-more.sql', 'select 1');
    await runWith();
    await rm(join(directory, 'parts', '002-more.sql'));
    await expect(runWith()).rejects.toThrow(
      'The database has the migration spare-parts/002-more.sql, which the installed version of the extension spare-parts does not have',
    );
  });
});
