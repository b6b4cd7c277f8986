/** Loading extensions. e2e/add-a-screen.spec.ts uses a complete one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadExtensions, type ExtensionContext } from './load-extensions.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-extensions-'));
});
afterEach(() => rm(directory, { recursive: true }));

const write = (name: string, text: string) => writeFile(path.join(directory, name), text);
const open = () => loadExtensions(directory, { newId: () => 'an id' } as ExtensionContext);

test('loadExtensions loads every file in the order of their names, passes the context and skips tests', async () => {
  await write('orders.ts', 'export default ({ newId }) => ({ routes: [newId()] });');
  await write('bills.ts', 'export default () => ({ routes: [1, 2] });');
  await write('orders.test.ts', 'throw new Error();');
  expect(await open()).toEqual([{ routes: [1, 2] }, { routes: ['an id'] }]);
});

test("an invalid file prevents the server's start with a message that names the missing part", async () => {
  await write('orders.ts', 'export function orders() {}');
  await expect(open()).rejects.toThrow('The extension orders.ts has no default export.');
  await write('bills.ts', 'export default () => [];');
  await expect(open()).rejects.toThrow('The extension bills.ts returns no routes.');
});

test('loadExtensions returns no extensions for a missing directory', async () => {
  expect(await loadExtensions(path.join(directory, 'none'), {} as ExtensionContext)).toEqual([]);
});
