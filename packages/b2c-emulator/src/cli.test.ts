import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from './test/test-tenant.ts';

const cli = join(import.meta.dirname, 'cli.ts');
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function configFile(content: unknown): string {
  const file = join(directory, `${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

async function run(...args: string[]): Promise<{ code: number; stderr: string }> {
  try {
    await promisify(execFile)(process.execPath, [cli, ...args]);
    return { code: 0, stderr: '' };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, stderr };
  }
}

test('the command prints its address and the development notice, and stops on a signal', async () => {
  const child = spawn(process.execPath, [
    cli,
    '--config',
    configFile({ ...testConfig, people: [], port: 0 }),
  ]);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  while (!output.includes('passwordreset')) await once(child.stdout, 'data');
  expect(output).toContain('Development sign-in. Not for production.');
  const [address] = /http:\/\/localhost:\d+\/vestibule\.onmicrosoft\.com\/b2c_1a_signin/.exec(output)!;
  const response = await fetch(`${address}/v2.0/.well-known/openid-configuration`);
  expect(((await response.json()) as { jwks_uri: string }).jwks_uri).toBe(`${address}/discovery/v2.0/keys`);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

const sentences: [string, () => string[], RegExp][] = [
  ['no arguments', () => [], /^Usage: /],
  [
    'a bad configuration',
    () => ['--config', configFile({ ...testConfig, tenantId: 'x' })],
    /tenantId: must be a GUID/,
  ],
  [
    'TLS files that are not there',
    () => ['--config', configFile({ ...testConfig, tls: { keyFile: 'a', certFile: 'b' } })],
    /ENOENT/,
  ],
];
test.each(sentences)('%s prints one sentence and returns an exit code', async (_, args, sentence) => {
  const { code, stderr } = await run(...args());
  expect(code).toBe(1);
  expect(stderr).toMatch(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
