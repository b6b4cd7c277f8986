/** Hooks, jobs, mails, webhooks, invitations and personal data of extensions (T2). The extensions are written by the tests. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { changeExtensionSettings, listExtensions } from '@vestibule/contract/extensions';
import { createOrganization, deleteOrganization } from '@vestibule/contract/organizations';
import { removePerson } from '@vestibule/contract/people';
import { erasePerson } from '@vestibule/contract/people/removed';
import { createWebhook } from '@vestibule/contract/webhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadExtensions, migrationsOf } from '../../platform/extensions/load-extensions.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { migrations } from '../../startup/create-database.ts';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { findRuleViolations } from '../../test/extensions/test-extension-rules.ts';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { writePayloads, type OutboxMessage } from '../webhooks/webhook-payload.ts';
import { createOrganizationSite } from '../organizations/test-organizations.ts';

let directory: string;
let t: TestApp;
let admin: TestPerson;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-extensions-'));
});
afterEach(async () => {
  await t?.close();
  await rm(directory, { recursive: true });
});

const notesTable = 'create table notes (id serial primary key, text text not null);';
/** Database with the table, from which the tests copy. */
let siteWithNotes: Promise<string> | undefined;

async function prepareNotes(): Promise<string> {
  const { name, applicationUrl, url } = await createTestDatabase(undefined, 'site');
  const sharedWith = { databaseUrl: applicationUrl, ownerUrl: url };
  await (await createTestApp({ sharedWith, extensionsDirectory: directory })).close();
  return name;
}

/** Starts a site with the extension `notes`, whose definition is JavaScript. Only another migration than `notesTable` is applied here. */
async function start(definition: string, migration = notesTable, options: object = {}) {
  const folder = path.join(directory, 'notes');
  await mkdir(path.join(folder, 'migrations'), { recursive: true });
  await writeFile(path.join(folder, 'migrations', '001-notes.sql'), migration);
  await writeFile(
    path.join(folder, 'extension.ts'),
    `const note = (queryable, text) => queryable.query({ text: 'insert into notes (text) values ($1)', values: [text] });
     export default { name: 'notes', requires: '^1.1', migrations: new URL('migrations/', import.meta.url), ${definition} };`,
  );
  const template = migration === notesTable ? await (siteWithNotes ??= prepareNotes()) : undefined;
  t = await createTestApp({ extensionsDirectory: directory, ...(template && { template }), ...options });
  admin = await t.join('admin@example.com', 'admin');
  return t;
}

const notes = () => t.scalars<string>`select text from notes order by id`;
const organization = { name: 'Acme', slug: 'acme' };

describe('hooks', () => {
  test('are called when people join, are removed and erased, and when organizations are created and deleted', async () => {
    await start(`hooks: {
      personJoined: ({ transaction, email }) => note(transaction, 'joined ' + email),
      personRemoved: ({ transaction, email }) => note(transaction, 'removed ' + email),
      personErased: ({ transaction, personIds }) => note(transaction, 'erased ' + personIds.length),
      organizationCreated: ({ transaction, organizationId }) => note(transaction, 'created ' + organizationId),
      organizationDeleted: ({ transaction, organizationId }) => note(transaction, 'deleted ' + organizationId),
    }`);
    const ann = await t.join('ann@example.com');
    await t.callAs(admin, removePerson, { params: { personId: ann.id }, query: {} });
    const token = await t.recentTokenOf(admin);
    await t.call(erasePerson, { token, body: { email: ann.email } });
    const { body } = await t.call(createOrganization, { token, body: organization });
    await t.call(deleteOrganization, { token, params: { organizationId: body.id }, query: {} });
    const [joined, , removed, erased, ...ofOrganization] = await notes();
    expect(joined).toBe('joined admin@example.com');
    // The erasure has replaced the address in the table of the extension.
    expect(removed).toMatch(/^removed Erased person/);
    expect([erased, ...ofOrganization]).toEqual(['erased 1', `created ${body.id}`, `deleted ${body.id}`]);
  });

  test('that throw roll back the change', async () => {
    await start(`hooks: {
      personJoined: ({ email }) => email.startsWith('ann') ? Promise.reject(new Error('no')) : undefined,
      organizationCreated: async ({ transaction }) => { await note(transaction, 'x'); throw new Error('no'); },
    }`);
    await expect(t.join('ann@example.com')).rejects.toThrow('server.unexpected');
    expect(await t.select(`select from people where email like 'ann%'`)).toEqual([]);
    expect(
      await t.select(`select from invitations where email like 'ann%' and status = 'pending'`),
    ).toHaveLength(1);
    expect((await t.join('bob@example.com')).email).toBe('bob@example.com');
    expect((await t.callAs(admin, createOrganization, { body: organization })).status).toBe(500);
    expect(await t.select('select from organizations')).toEqual([]);
    expect(await notes()).toEqual([]);
  });
});

describe('a job', () => {
  test('that throws is logged and counted, and is retried after a minute', async () => {
    await start(
      `jobs: { count: { everyMs: 3600000, async run({ database }) { await note(database, 'ran'); throw new Error('broken'); } } }`,
      notesTable,
      {
        environment: { METRICS_TOKEN: 'a-token-of-the-scraper' },
      },
    );
    await t.runJob('notes/count');
    expect(t.log.some((line) => line.includes('the job notes/count failed') && line.includes('broken'))).toBe(
      true,
    );
    const { payload } = await t.app.inject({
      url: '/metrics',
      headers: { authorization: 'Bearer a-token-of-the-scraper' },
    });
    expect(payload).toContain('vestibule_extension_job_failures{job="notes/count"} 1');
    const dueAt = await t.scalar<Date>`select due_at from extension_jobs`;
    expect(dueAt.getTime()).toBe(t.clock.now() + 60_000);
  });

  test('runs in one process at a time, and again if its process was killed', async () => {
    await start(`jobs: { count: { everyMs: 60000, run: ({ database }) => note(database, 'ran') } }`);
    const second = await createTestApp({ sharedWith: t, extensionsDirectory: directory });
    await t.runJob('notes/count');
    await t.select`update extension_jobs set leased_until = ${new Date(t.clock.now() + 60_000)}`;
    await second.runJob('notes/count');
    expect(await notes()).toEqual(['ran']);
    t.clock.advance(60_000);
    await second.runJob('notes/count');
    expect(await notes()).toEqual(['ran', 'ran']);
    await second.close();
  });

  test('without an interval runs after it was started in a committed transaction', async () => {
    await start(`jobs: { send: { run: ({ database }) => note(database, 'sent') } },
      hooks: { organizationCreated: ({ transaction }, { jobs }) => jobs.start(transaction, 'send') }`);
    await t.callAs(admin, createOrganization, { body: organization });
    expect(
      await t.select`select name from extension_jobs where due_at <= ${new Date(t.clock.now())}`,
    ).toEqual([{ name: 'notes/send' }]);
    await t.runJob('notes/send');
    expect(await notes()).toEqual(['sent']);
    expect(await t.select('select due_at::text as due from extension_jobs')).toEqual([{ due: 'infinity' }]);
  });
});

describe('references to people and organizations prevent the start', () => {
  const person = 'create table notes (id uuid primary key, author_id uuid references people';
  test.each([
    [
      'that are not declared',
      `${person} on delete cascade)`,
      '',
      /notes.author_id references people, but personalData does not declare it/,
    ],
    [
      'whose foreign key differs',
      `${person})`,
      `personalData: { notes: { person: 'author_id', onRemoval: 'anonymize', columns: ['id'] } }`,
      /Add "on delete set null" to notes.author_id/,
    ],
    [
      'that block the deletion of organizations',
      'create table notes (organization_id uuid references organizations)',
      '',
      /notes.organization_id references organizations. Name it organization_id and add "on delete cascade"/,
    ],
    [
      'that do not exist',
      'create table notes (id int)',
      `personalData: { notes: { person: 'author_id', onRemoval: 'delete', columns: ['id'] } }`,
      /personalData names notes.author_id, which does not reference people/,
    ],
  ])('%s', async (_what, migration, definition, message) => {
    await expect(start(definition, migration)).rejects.toThrow(message);
    t = await createTestApp();
  });

  test('and leave the database unchanged, so that the corrected migration can be applied', async () => {
    const wrong = path.join(directory, 'notes', 'migrations', '002-authors.sql');
    t = await createTestApp();
    const database = { url: t.ownerUrl, variable: 'DATABASE_URL' } as const;
    const write = async (more: string) => {
      await mkdir(path.dirname(wrong), { recursive: true });
      await writeFile(path.join(path.dirname(wrong), '001-notes.sql'), notesTable);
      await writeFile(wrong, `alter table notes add author_id uuid references people ${more}`);
      await writeFile(
        path.join(directory, 'notes', 'extension.ts'),
        `export default { name: 'notes', requires: '^1.1', migrations: new URL('migrations/', import.meta.url),
           personalData: { notes: { person: 'author_id', onRemoval: 'anonymize', columns: ['text'] } } };`,
      );
      return migrate(database, migrations, { extensions: migrationsOf(await loadExtensions(directory)) });
    };
    await expect(write('on delete cascade')).rejects.toThrow(
      'The extension notes: personalData declares onRemoval "anonymize" for notes. Add "on delete set null" to notes.author_id. Its migrations were not applied. See',
    );
    expect(await t.select(`select to_regclass('notes') as created`)).toEqual([{ created: null }]);
    expect(await write('on delete set null')).toEqual(['notes/001-notes.sql', 'notes/002-authors.sql']);
  });
});

describe('a route of a plugin', () => {
  const plugin = (config: string) =>
    `plugin(app) { app.get('/api/notes/picture', ${config} () => { throw new Error('no picture'); }); }`;

  test.each([
    ['/api/notes/picture', 'GET /api/notes/picture does not say who may call it'],
    ['/notes/picture', 'GET /notes/picture must declare its access'],
  ])('%s without a declared access prevents the start', async (url, message) => {
    await expect(start(plugin('').replace('/api/notes/picture', url))).rejects.toThrow(
      `The plugin of the extension notes failed at the start: ${message}`,
    );
    t = await createTestApp();
  });

  test.each([
    `async (scope) => { await null; scope.get('/notes', () => ''); }`,
    `(scope, options, done) => { scope.get('/notes', () => ''); done(); }`,
  ])('in a scope without a declared access prevents the start: %s', async (scope) => {
    await expect(start(`plugin(app) { app.register(${scope}); }`).then(() => t.app.ready())).rejects.toThrow(
      'The plugin of the extension notes failed at the start: GET /notes must declare its access',
    );
    t = await createTestApp();
  });

  test('keeps its own hook, which runs after the access is checked', async () => {
    const hook = 'onRequest: (request, reply) => reply.code(402).send(request.caller.email)';
    await start(plugin(`{ config: { access: 'member' }, ${hook} },`));
    const call = (token: string) =>
      t.app.inject({ url: '/api/notes/picture', headers: { authorization: `Bearer ${token}` } });
    expect(await call('none')).toMatchObject({ statusCode: 401 });
    expect(await call(admin.token)).toMatchObject({ statusCode: 402, payload: admin.email });
  });

  test('is closed to callers without this access, and an error in it affects only this route', async () => {
    await start(plugin(`{ config: { access: 'member' } },`));
    const statusOf = async (url: string, token?: string) =>
      (await t.app.inject({ url, headers: { ...(token && { authorization: `Bearer ${token}` }) } }))
        .statusCode;
    expect(await statusOf('/api/notes/picture')).toBe(401);
    expect(await statusOf('/api/notes/picture', admin.token)).toBe(500);
    expect(await statusOf('/api/users/me', admin.token)).toBe(200);
  });
});

test('findRuleViolations names a change without a rate limit, a text that is not normalized and a list that cannot be sorted', async () => {
  const folder = path.join(directory, 'notes');
  await mkdir(folder);
  await writeFile(
    path.join(folder, 'extension.ts'),
    `import * as z from '${import.meta.resolve('zod/mini')}';
     const route = (method, query, body) => ({
       route: { method, path: '/api/notes', access: 'member', summary: '', query, body, response: z.any() },
       handle: ({ query }) => { if (query?.sort) throw new Error(); return Promise.resolve(null); },
     });
     export default { name: 'notes', requires: '^1.1', routes: () => [
       route('POST', undefined, z.object({ text: z.string() })),
       route('GET', z.object({ sort: z.optional(z.enum(['text'])) })),
     ] };`,
  );
  const site = await createOrganizationSite({ extensionsDirectory: directory });
  t = site.t;
  expect(await findRuleViolations(site)).toEqual([
    'POST /api/notes changes data and declares no error with status 429 (rate limit).',
    'POST /api/notes: text is not normalized. Use lineOfText or linesOfText.',
    'GET /api/notes returns 500 when it is sorted by text.',
  ]);
});

test('the metrics contain the measures of an extension', async () => {
  await start(
    `measures: ({ now }) => [{ name: 'notes_open', help: 'Open notes.', read: () => now() > 0 ? 3 : 0 }]`,
    notesTable,
    { environment: { METRICS_TOKEN: 'a-token-of-the-scraper' } },
  );
  const headers = { authorization: 'Bearer a-token-of-the-scraper' };
  expect((await t.app.inject({ url: '/metrics', headers })).payload).toContain('vestibule_notes_open 3');
});

test('webhooks can subscribe to the declared events of an extension, and only to these', async () => {
  await start(`webhookEvents: ['note.written']`);
  const token = await t.recentTokenOf(admin);
  const create = (events: string[]) =>
    t.call(createWebhook, { token, body: { url: 'https://example.com/hook', description: '', events } });
  expect((await create(['note.erased'])).body.fields).toEqual({ events: 'There is no event note.erased.' });
  expect((await create(['note.written'])).status).toBe(200);
  await t.select(
    `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
     values ('note.written', '', 'note', '7', 'A note', '', '', '{}'), ('note.erased', '', 'note', '7', '', '', '', '{}')`,
  );
  const messages = await t.select<OutboxMessage>('select * from webhook_messages');
  expect(messages).toMatchObject([{ event: 'note.written', object_type: 'note', object_id: '7' }]);
  const payloads = await writePayloads(t.database, messages);
  expect([...payloads.values()].map((text) => JSON.parse(text) as object)).toMatchObject([
    { type: 'note.written', data: { note: { id: '7', label: 'A note' } } },
  ]);
});

test('a webhook event of another extension or of Vestibule prevents the start, with the names of both', async () => {
  const define = async (name: string, event: string) => {
    await mkdir(path.join(directory, name));
    const text = `export default { name: '${name}', requires: '^1.1', webhookEvents: ['${event}'] };`;
    await writeFile(path.join(directory, name, 'extension.ts'), text);
  };
  await define('note', 'note.written');
  await define('notes', 'note.written');
  await expect(createTestApp({ extensionsDirectory: directory })).rejects.toThrow(
    'note and notes have the same webhook event: note.written. Rename one of them.',
  );
  await rm(path.join(directory, 'note'), { recursive: true });
  await define('members', 'member.added');
  await expect(createTestApp({ extensionsDirectory: directory })).rejects.toThrow(
    'Vestibule and members have the same webhook event: member.added. Rename one of them.',
  );
  t = await createTestApp();
});

test('an extension invites in the transaction of its change', async () => {
  await start(`hooks: { async organizationCreated({ transaction, organizationId }, { invite }) {
    const caller = { id: '0192f0c1-2345-7abc-8def-0123456789ab', email: 'admin@example.com', displayName: '', isAdmin: true };
    const id = await invite(transaction, { email: 'guest@example.com', caller, origin: { requestId: '', address: '' } });
    await note(transaction, id === null ? 'known' : 'invited');
  } }`);
  await t.callAs(admin, createOrganization, { body: organization });
  await t.callAs(admin, createOrganization, { body: { name: 'Bolt', slug: 'bolt' } });
  expect(await notes()).toEqual(['invited', 'known']);
  expect(
    await t.select(`select role, status, mail_state from invitations where email = 'guest@example.com'`),
  ).toEqual([{ role: 'member', status: 'pending', mail_state: 'queued' }]);
});

test('an invitation by an extension counts against those of the organization, unless the caller administers the site', async () => {
  await start(`hooks: { async organizationCreated({ transaction, organizationId: id }, { invite }) {
    const organization = { id, name: '', permissions: new Set(), asSiteAdministrator: false };
    const inviteAs = (email, isAdmin) =>
      invite(transaction, {
        email, organization, caller: { id, email: 'manager@example.com', displayName: '', isAdmin }, origin: { requestId: '', address: '' },
      });
    await inviteAs('administrators@example.com', true);
    await inviteAs('managers@example.com', false);
    await inviteAs('managers@example.com', false);
  } }`);
  await t.callAs(admin, createOrganization, { body: organization });
  expect(
    await t.select(`select used from rate_limits where key like 'invitations of an organization:%'`),
  ).toEqual([{ used: 1 }]);
});

test('settings are listed with their limits, changed by administrators, recorded, and reset by null', async () => {
  await start(`settings: {
    greeting: { kind: 'text', label: 'Greeting', maximum: 20, default: 'Hello' },
    color: { kind: 'choice', label: 'Color', values: { red: 'Red', blue: 'Blue' }, default: 'red' },
    shown: { kind: 'switch', label: 'Shown', hint: 'On every page', default: false },
  }`);
  const token = admin.token;
  const change = (values: Record<string, string | number | boolean | null>, version?: number) =>
    t.call(changeExtensionSettings, {
      token,
      params: { name: 'notes' },
      query: version === undefined ? {} : { version },
      body: { values },
    });
  const { body } = await t.call(listExtensions, { token });
  expect(body.rows).toMatchObject([
    {
      name: 'notes',
      requires: '^1.1',
      version: 1,
      settings: [
        { name: 'greeting', value: 'Hello', maximum: 20 },
        {
          values: [
            { value: 'red', label: 'Red' },
            { value: 'blue', label: 'Blue' },
          ],
        },
        { hint: 'On every page' },
      ],
    },
  ]);
  const refused = await change({ greeting: 'x'.repeat(21), color: 'green', shown: 1, other: 1 });
  expect(refused.status).toBe(400);
  expect(Object.keys(refused.body.fields ?? {})).toEqual([
    'values.greeting',
    'values.color',
    'values.shown',
    'values.other',
  ]);
  expect((await change({ color: 'blue', shown: true })).body).toMatchObject({ version: 2 });
  expect((await change({ color: 'red' }, 1)).body.code).toBe('extension.changed');
  const { settings } = (await change({ color: null })).body;
  expect(settings.map(({ value }) => value)).toEqual(['Hello', 'red', true]);
  expect((await t.auditOf('notes')).map(({ action, detail }) => [action, detail['after']])).toEqual([
    ['extension.settings_changed', { color: 'blue', shown: true }],
    ['extension.settings_changed', { shown: true }],
  ]);
});
