import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEmulatorConfig } from './emulator-config.ts';
import { testCertificate } from './test/test-certificate.ts';
import { testConfig } from './test/test-tenant.ts';

test('readEmulatorConfig adds the defaults', () => {
  expect(readEmulatorConfig(testConfig)).toEqual({
    ...testConfig,
    host: '127.0.0.1',
    allowPublicAddress: false,
    lifetimes: { accessTokenSeconds: 3600, refreshTokenSeconds: 86_400, sessionSeconds: 86_400 },
  });
});

test.each<[problem: string, settings: Record<string, unknown>]>([
  ['tenant: must be a name', { tenant: 'no spaces please' }],
  ['tenantId: must be a GUID', { tenantId: '1' }],
  ['policies["a b"]: ', { policies: { 'a b': 'sign-in' } }],
  ['each once', { policies: { SignIn: 'sign-in', signin: 'sign-in' } }],
  ['policies.field: ', { policies: { field: { kind: 'sign-in', signInField: 'user' } } }],
  ['hintIssuer: is required by policies of the kind "sign-up"', { hintIssuer: undefined }],
  ['clients[0].clientId: must be', { clients: [{ clientId: '', redirectUris: ['http://a/'], scopes: [] }] }],
  ['redirectUris[0]: must be', { clients: [{ clientId: 'a', redirectUris: ['http://a/#b'], scopes: [] }] }],
  ['scopes[0]: must be', { clients: [{ clientId: 'a', redirectUris: ['http://a/'], scopes: ['read'] }] }],
  ['people[0].email: must be', { people: [{ email: 'unknown', password: 'a', displayName: 'b' }] }],
  ['"teaSeconds"', { lifetimes: { teaSeconds: 4 } }],
  ['publicUrl: must have no path', { publicUrl: 'http://localhost:3001/path' }],
  ['tls: must be a PEM key', { tls: { key: 'a', cert: 'b' } }],
  ['"color"', { color: 'green' }],
])('readEmulatorConfig rejects settings with the message %s', (problem, settings) => {
  expect(() => readEmulatorConfig({ ...testConfig, ...settings })).toThrow(problem);
});

test('readEmulatorConfig reports all problems together', () => {
  expect(() => readEmulatorConfig({ ...testConfig, tenant: '', tenantId: '1', port: -1 })).toThrow(
    /^The emulator's configuration is not usable: tenant: .*; tenantId: .*; port: [^;]+$/,
  );
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com'])(
  'the public address %s requires allowPublicAddress (L5, security 15)',
  (host) => {
    expect(() => readEmulatorConfig({ ...testConfig, host })).toThrow('can be reached from other machines');
    expect(readEmulatorConfig({ ...testConfig, host, allowPublicAddress: true }).host).toBe(host);
  },
);

test('the example in the README is a valid configuration', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const example = JSON.parse(/```json\n(\{\n.*?)```/s.exec(readme)![1]!) as Record<string, unknown>;
  expect(readEmulatorConfig({ ...example, tls: testCertificate })).toMatchObject({ tenant: 'contoso' });
});
