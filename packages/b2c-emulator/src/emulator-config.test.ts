import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readEmulatorConfig } from './emulator-config.ts';
import { testConfig } from './test/test-tenant.ts';

function problemsOf(json: unknown): string[] {
  try {
    readEmulatorConfig(json);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('readEmulatorConfig returns a complete configuration unchanged', () => {
  expect(readEmulatorConfig(testConfig)).toEqual(testConfig);
});

test('readEmulatorConfig reports all problems together', () => {
  const problems = problemsOf({
    tenant: 'no spaces please',
    tenantId: '1',
    issuer: 'nothing',
    policies: {
      'a b': 'sign-in',
      SignIn: 'dance',
      signin: 'sign-in',
      field: { kind: 'sign-in', signInField: 'user' },
      object: { kind: 'sing' },
    },
    clients: [{ clientId: '', redirectUris: ['/relative', 'http://a/#b'], scopes: ['read'] }, 7],
    hintIssuer: { metadataUrl: 'x' },
    people: [{ email: 'unknown' }],
    lifetimes: { sessionSeconds: '5', teaSeconds: 4 },
    host: '0.0.0.0',
    port: 70_000,
    publicUrl: 'http://localhost:3001/path',
    color: 'green',
  });
  for (const word of [
    '`tenant`',
    '`tenantId`',
    '`issuer`',
    '"a b"',
    '"SignIn"',
    'twice',
    '`signInField` of policy "field"',
    '"object"',
    'clients[0].clientId',
    'clients[0].redirectUris',
    'clients[0].scopes',
    'clients[1]',
    '`hintIssuer.metadataUrl`',
    '`hintIssuer.audience`',
    'people[0]',
    '`lifetimes.sessionSeconds`',
    '`lifetimes.teaSeconds`',
    '`host`',
    '`port`',
    '`publicUrl`',
    '`color`',
  ]) {
    expect(problems.join('\n')).toContain(word);
  }
});

test.each([null, [], 'text', 7])('readEmulatorConfig rejects %j', (json) => {
  expect(problemsOf(json)).toEqual(['it must be one JSON object']);
});

test('a sign-up policy requires a hint issuer', () => {
  const { hintIssuer: _, ...rest } = testConfig;
  expect(problemsOf(rest)).toEqual([
    'policy "B2C_1A_SignUp" signs people up by invitation and needs `hintIssuer`, which says whose invitations count',
  ]);
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com'])(
  'the public address %s requires allowPublicAddress (L5, security 15)',
  (host) => {
    expect(problemsOf({ ...testConfig, host })[0]).toContain('can be reached from other machines');
    expect(problemsOf({ ...testConfig, host, allowPublicAddress: true })).toEqual([]);
  },
);

test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])(
  'the loopback address %s needs no permission',
  (host) => {
    expect(problemsOf({ ...testConfig, host })).toEqual([]);
  },
);

test('key and certificate are read from files relative to the configuration', () => {
  const directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
  writeFileSync(join(directory, 'key.pem'), 'KEY');
  writeFileSync(join(directory, 'cert.pem'), 'CERT');
  const json = { ...testConfig, tls: { keyFile: 'key.pem', certFile: 'cert.pem' }, databaseFile: 'data.db' };
  const config = readEmulatorConfig(json, directory);
  expect(config.tls).toEqual({ key: 'KEY', cert: 'CERT' });
  expect(config.databaseFile).toBe(join(directory, 'data.db'));
  expect(() =>
    readEmulatorConfig({ ...json, tls: { keyFile: 'no.pem', certFile: 'cert.pem' } }, directory),
  ).toThrow(/`tls.keyFile` cannot be read/);
  rmSync(directory, { recursive: true });
});

test('the example in the README is a valid configuration', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const example = JSON.parse(/```json\n(\{\n.*?)```/s.exec(readme)![1]!) as Record<string, unknown>;
  expect(problemsOf({ ...example, tls: { key: 'KEY', cert: 'CERT' } })).toEqual([]);
});
