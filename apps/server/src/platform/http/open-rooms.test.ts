/** Where the rooms of a team come from. What a whole one does is shown by e2e/add-a-screen.spec.ts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRooms, type RoomDependencies } from './open-rooms.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-rooms-'));
});
afterEach(() => rm(directory, { recursive: true }));

const write = (name: string, text: string) => writeFile(path.join(directory, name), text);
const open = () => openRooms(directory, { newId: () => 'an id' } as RoomDependencies);

test('every file is a room and gets what it needs, by name; its test is none', async () => {
  await write('orders.ts', 'export default ({ newId }) => ({ routes: [newId()] });');
  await write('bills.ts', 'export default () => ({ routes: [1, 2] });');
  await write('orders.test.ts', 'throw new Error();');
  expect(await open()).toEqual([{ routes: [1, 2] }, { routes: ['an id'] }]);
});

test('a file without a room stops the start, and says what is missing', async () => {
  await write('orders.ts', 'export function orders() {}');
  await expect(open()).rejects.toThrow('The room orders.ts has no default export.');
  await write('bills.ts', 'export default () => [];');
  await expect(open()).rejects.toThrow('The room bills.ts returns no routes.');
});

test('without a directory there is no room', async () => {
  expect(await openRooms(path.join(directory, 'none'), {} as RoomDependencies)).toEqual([]);
});
