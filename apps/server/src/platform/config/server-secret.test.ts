import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readServerSecret } from './server-secret.ts';
import { StartUpError } from './start-up-error.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'vestibule-secret-'));
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

describe('without SECRET', () => {
  test('a secret of 256 bits is created once, readable only by its owner', () => {
    const data = path.join(directory, 'new');
    const secret = readServerSecret(null, data);
    expect(secret.toString()).toMatch(/^[\w-]{43}$/);
    expect(readServerSecret(null, data)).toEqual(secret);
    expect(statSync(path.join(data, 'secret')).mode & 0o777).toBe(0o600);
    expect(readServerSecret(null, path.join(directory, 'other'))).not.toEqual(secret);
  });

  test("a data directory that is a file prevents the server's start with an error message", () => {
    const file = path.join(directory, 'file');
    writeFileSync(file, '');
    expect(() => readServerSecret(null, file)).toThrow(StartUpError);
    expect(() => readServerSecret(null, file)).toThrow('SECRET');
  });

  test("an empty secret file prevents the server's start with an error message and is not used", () => {
    writeFileSync(path.join(directory, 'secret'), '');
    expect(() => readServerSecret(null, directory)).toThrow(StartUpError);
    expect(readFileSync(path.join(directory, 'secret'), 'utf8')).toBe('');
  });
});

test('SECRET is used unchanged', () => {
  expect(readServerSecret('x'.repeat(32), directory).toString()).toBe('x'.repeat(32));
});
