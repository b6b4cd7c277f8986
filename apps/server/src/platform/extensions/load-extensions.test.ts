/** Loading extensions, and the messages for invalid ones. e2e/add-a-screen.spec.ts uses a complete one. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { extensionApiVersion, type ExtensionContext } from './extension.ts';
import { checkRoutes } from './check-extensions.ts';
import { loadExtensions } from './load-extensions.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-extensions-'));
});
afterEach(() => rm(directory, { recursive: true }));

const write = (name: string, text: string) => writeFile(path.join(directory, name), text);
/** Writes a folder with an extension, whose definition is JavaScript. */
async function define(folder: string, definition: string) {
  await mkdir(path.join(directory, folder));
  await write(path.join(folder, 'extension.ts'), `export default { requires: '^1.1', ${definition} };`);
}
const context = { newId: () => 'an id' } as ExtensionContext;
const open = async () => (await loadExtensions(directory)).map(({ createArea }) => createArea(context));

test('loadExtensions loads every file and folder in the order of their names, passes the context and skips tests', async () => {
  await write('orders.ts', 'export default ({ newId }) => ({ routes: [newId()] });');
  await write('bills.ts', 'export default () => ({ routes: [1, 2] });');
  await write('orders.test.ts', 'throw new Error();');
  await define('claims', `name: 'claims', routes: ({ newId }) => [newId()]`);
  await mkdir(path.join(directory, 'helpers'));
  expect(await open()).toMatchObject([
    { extension: 'bills', routes: [1, 2] },
    { extension: 'claims', routes: ['an id'] },
    { extension: 'orders', routes: ['an id'] },
  ]);
});

test("an invalid file prevents the server's start with a message that names the missing part", async () => {
  await write('orders.ts', 'export function orders() {}');
  await expect(open()).rejects.toThrow('The extension orders.ts has no default export.');
  await rm(path.join(directory, 'orders.ts'));
  await write('bills.ts', 'export default () => [];');
  await expect(open()).rejects.toThrow('The extension bills.ts returns no routes.');
});

test('loadExtensions returns no extensions for a missing directory', async () => {
  expect(await loadExtensions(path.join(directory, 'none'))).toEqual([]);
});

test.each([
  ['while its file is loaded', `throw new Error('no licence');`],
  [
    'while its routes are created',
    `export default { name: 'claims', requires: '^1.1', routes() { throw new Error('no licence'); } };`,
  ],
])('an extension that throws %s prevents the start with its file and the error', async (_when, text) => {
  await mkdir(path.join(directory, 'claims'));
  await write('claims/extension.ts', text);
  await expect(open()).rejects.toThrow(
    /The extension claims\/extension.ts failed at the start: Error: no licence/,
  );
});

test('an import that this version does not have prevents the start with the name, both versions and the page', async () => {
  await mkdir(path.join(directory, 'claims'));
  // As Node.js reports it; vitest resolves such an import to undefined.
  await write(
    'claims/extension.ts',
    `throw new SyntaxError("The requested module '@vestibule/server/extension' does not provide an export named 'takeToken'");
     export default { name: 'claims', requires: '^1.0' };`,
  );
  await expect(open()).rejects.toThrow(
    `The extension claims/extension.ts imports takeToken, which @vestibule/server/extension does not have. It requires version ^1.0 of the extension API; this server has ${extensionApiVersion}. docs/build-a-portal.md lists the versions.`,
  );
});

describe('a version of the extension API', () => {
  const [major, minor] = extensionApiVersion.split('.').map(Number) as [number, number];
  test.each([`^${major}.${minor}`, `^${major}.0`, `^${major}.${minor}.0`])(
    '%s is accepted',
    async (range) => {
      await define('claims', `name: 'claims', requires: '${range}'`);
      expect(await open()).toHaveLength(1);
    },
  );

  test.each([`^${major}.${minor + 1}`, `^${major + 1}.0`, '*', '1.1'])(
    '%s prevents the start with both versions and the page',
    async (range) => {
      await define('claims', `name: 'claims', requires: '${range}'`);
      await expect(open()).rejects.toThrow(
        `The extension claims (claims/extension.ts) requires version ${range} of the extension API; this server has ${extensionApiVersion}. docs/build-a-portal.md lists the versions.`,
      );
    },
  );
});

describe('two extensions', () => {
  test('with one name prevent the start, which names both files', async () => {
    await define('claims', `name: 'claims'`);
    await define('damages', `name: 'claims'`);
    await expect(open()).rejects.toThrow(
      'claims/extension.ts and damages/extension.ts have the same name: claims.',
    );
  });

  test('whose tables could have the same name prevent the start', async () => {
    await define('claims', `name: 'claims'`);
    await define('damages', `name: 'claims-notes'`);
    await expect(open()).rejects.toThrow('The extensions claims and claims-notes share the tables claims_');
  });

  test('with one route prevent the start, which names both', async () => {
    const routes = (id: string) =>
      `routes: () => [{ route: { method: 'GET', path: '/api/claims/:${id}', access: 'member' } }]`;
    await define('claims', `name: 'claims', ${routes('claimId')}`);
    await define('damages', `name: 'damages', ${routes('id')}`);
    const areas = await open();
    expect(() => checkRoutes(areas)).toThrow('claims and damages have the same route: GET /api/claims/:id.');
  });
});

test('a permission outside of the name space, or one that exists twice, prevents the start', async () => {
  const permission = (name: string) => `{ name: '${name}', label: 'Read', memberHasIt: true }`;
  await define('claims', `name: 'claims', permissions: [${permission('members.read')}]`);
  await expect(open()).rejects.toThrow(
    'The permission members.read of the extension claims (claims/extension.ts) needs the name of the extension, a dot and a verb, such as claims.read.',
  );
  await rm(path.join(directory, 'claims'), { recursive: true });
  await define('members', `name: 'members', permissions: [${permission('members.read')}]`);
  await expect(open()).rejects.toThrow('Vestibule and members have the same permission: members.read.');
});

test.each(['ticket.created', 'claim', 'claims.', 'claim_paid', 'Claim.paid'])(
  'the webhook event %s, which does not name an object of the extension, prevents the start',
  async (event) => {
    await define(
      'claims',
      `name: 'claims', webhookEvents: ['claim.paid', 'claim_note.added', 'claims.paid', '${event}']`,
    );
    await expect(open()).rejects.toThrow(
      `The webhook event ${event} of the extension claims (claims/extension.ts) must begin with the name of the extension or its singular, then name the change, such as claim.created or claims.imported.`,
    );
  },
);

test('a route that needs an undefined permission prevents the start', async () => {
  await define(
    'claims',
    `name: 'claims', routes: () => [{ route: { method: 'GET', path: '/api/claims', access: { permission: 'claims.read' } } }]`,
  );
  const areas = await open();
  expect(() => checkRoutes(areas)).toThrow(
    'GET /api/claims of claims needs the permission claims.read, which no extension defines.',
  );
});

test.each(['', 'Claims', 'claims_1', '-claims'])('the name "%s" prevents the start', async (name) => {
  await define('claims', `name: '${name}'`);
  await expect(open()).rejects.toThrow('The extension claims/extension.ts needs a name');
});
