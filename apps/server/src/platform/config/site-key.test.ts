/** SECRET decrypts the site key, and can be replaced while processes with either secret run (O2; security 26). */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeTestDatabase } from '../../test/database/test-database-reuse.ts';
import type { Database } from '../database/database.ts';
import {
  decryptStoredKey,
  decryptSiteKey,
  readEncryptedKey,
  readServerSecret,
  readSiteKey,
  type Secrets,
} from './site-key.ts';
import { StartUpError } from './start-up-error.ts';

const [first, second, third] = ['first', 'second', 'third'].map((text) => Buffer.from(text.repeat(8))) as [
  Buffer,
  Buffer,
  Buffer,
];
const withoutPrevious = (current: Buffer): Secrets => ({ current, previous: null });

let opened: Awaited<ReturnType<typeof takeTestDatabase>>;
let database: Database;
beforeEach(async () => {
  opened = await takeTestDatabase();
  database = opened.pool;
});
afterEach(() => opened.release());

test('processes that start together create one key, which the database stores only encrypted', async () => {
  const sites = await Promise.all(
    Array.from({ length: 8 }, () => decryptSiteKey(database, withoutPrevious(first))),
  );
  const key = sites[0]?.key as Buffer;
  expect(key).toHaveLength(32);
  expect(sites.every((one) => one.key.equals(key))).toBe(true);
  expect(key).not.toEqual(first);
  const { rows } = await database.query<{ text: string }>({
    text: 'select server_identity::text as text from server_identity',
  });
  expect(rows).toHaveLength(1);
  for (const form of ['hex', 'base64', 'base64url', 'utf8'] as const) {
    expect(rows[0]?.text).not.toContain(key.toString(form));
    expect(rows[0]?.text).not.toContain(first.toString(form));
  }
});

test('another SECRET is refused with a message that names SECRET_PREVIOUS', async () => {
  await decryptSiteKey(database, withoutPrevious(first));
  const refused = decryptSiteKey(database, withoutPrevious(second));
  await expect(refused).rejects.toThrow(StartUpError);
  await expect(refused).rejects.toThrow(/SECRET is not the one of this database.*SECRET_PREVIOUS/);
  await expect(decryptSiteKey(database, { current: second, previous: third })).rejects.toThrow(
    /^Neither SECRET nor SECRET_PREVIOUS/,
  );
  await expect(readSiteKey(database, withoutPrevious(second))).rejects.toThrow(StartUpError);
});

test('two databases with the same SECRET have different keys', async () => {
  const { key } = await decryptSiteKey(database, withoutPrevious(first));
  await database.query({ text: 'delete from server_identity' });
  await expect(readSiteKey(database, withoutPrevious(first))).rejects.toThrow('No server has been started');
  expect((await decryptSiteKey(database, withoutPrevious(first))).key).not.toEqual(key);
});

test('a process starts with either SECRET during a replacement; after a start without SECRET_PREVIOUS the earlier SECRET is refused', async () => {
  const { key } = await decryptSiteKey(database, withoutPrevious(first));
  const replacing = { current: second, previous: first };
  const together = await Promise.all(Array.from({ length: 4 }, () => decryptSiteKey(database, replacing)));
  for (const one of together) expect(one).toEqual({ key, deletedKeys: 0 });
  // A process with the earlier secret can start again, and the new secret stays valid.
  expect(await decryptSiteKey(database, withoutPrevious(first))).toEqual({ key, deletedKeys: 0 });
  expect(await decryptSiteKey(database, replacing)).toEqual({ key, deletedKeys: 0 });
  expect(await readSiteKey(database, withoutPrevious(second))).toEqual(key);

  expect(await decryptSiteKey(database, withoutPrevious(second))).toEqual({ key, deletedKeys: 1 });
  expect(await decryptSiteKey(database, replacing)).toEqual({ key, deletedKeys: 0 });
  await expect(decryptSiteKey(database, withoutPrevious(first))).rejects.toThrow(StartUpError);
});

test('a database without tables is reported as one without a server', async () => {
  await opened.owner.query({ text: 'alter table server_identity rename to renamed' });
  await expect(readSiteKey(database, withoutPrevious(first))).rejects.toThrow('No server has been started');
});

test('swapping SECRET and SECRET_PREVIOUS makes the earlier SECRET the current one', async () => {
  const { key } = await decryptSiteKey(database, withoutPrevious(first));
  await decryptSiteKey(database, { current: second, previous: first });
  await decryptSiteKey(database, { current: first, previous: second });
  expect(await decryptSiteKey(database, withoutPrevious(first))).toEqual({ key, deletedKeys: 1 });
  await expect(decryptSiteKey(database, withoutPrevious(second))).rejects.toThrow(StartUpError);
});

test('a site from before 1.0.0 keeps the SECRET of its first start as its key after SECRET is replaced', async () => {
  await decryptSiteKey(database, withoutPrevious(first));
  await database.query({ text: 'update server_identity set sealed_key = null' });
  expect(await decryptSiteKey(database, withoutPrevious(first))).toEqual({ key: first, deletedKeys: 0 });
  expect((await decryptSiteKey(database, { current: second, previous: first })).key).toEqual(first);
  expect(await decryptSiteKey(database, withoutPrevious(second))).toEqual({ key: first, deletedKeys: 1 });
});

test('the encrypted key in an archive is decrypted with the SECRET that was current at that time', async () => {
  const { key } = await decryptSiteKey(database, withoutPrevious(first));
  const then = await readEncryptedKey(database);
  await decryptSiteKey(database, { current: second, previous: first });
  expect(decryptStoredKey(then, withoutPrevious(first))).toEqual(key);
  expect(decryptStoredKey(then, withoutPrevious(second))).toBeNull();
  expect(decryptStoredKey(then, { current: second, previous: first })).toEqual(key);
  expect(decryptStoredKey(await readEncryptedKey(database), withoutPrevious(second))).toEqual(key);
});

describe('the secret', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'vestibule-secret-'));
  });
  afterEach(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true });
  });

  test('without SECRET, a secret of 256 bits is created once, readable only by its owner', () => {
    const data = path.join(directory, 'new');
    const secret = readServerSecret(null, data);
    expect(secret.toString()).toMatch(/^[\w-]{43}$/);
    expect(readServerSecret(null, data)).toEqual(secret);
    expect(statSync(path.join(data, 'secret')).mode & 0o777).toBe(0o600);
    expect(readServerSecret(null, path.join(directory, 'other'))).not.toEqual(secret);
  });

  test("without SECRET, a data directory that is a file prevents the server's start with an error message", () => {
    const file = path.join(directory, 'file');
    writeFileSync(file, '');
    expect(() => readServerSecret(null, file)).toThrow(StartUpError);
    expect(() => readServerSecret(null, file)).toThrow('SECRET');
  });

  test("without SECRET, an empty secret file prevents the server's start with an error message and is not used", () => {
    writeFileSync(path.join(directory, 'secret'), '');
    expect(() => readServerSecret(null, directory)).toThrow(StartUpError);
    expect(readFileSync(path.join(directory, 'secret'), 'utf8')).toBe('');
  });

  test('SECRET is used unchanged', () => {
    expect(readServerSecret('x'.repeat(32), directory).toString()).toBe('x'.repeat(32));
  });
});
