import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
  const load = (file) => import(process.cwd() + '/' + file);
  const { readConfig } = await load('platform/config/read-config.ts');
  const { createTracingIfConfigured } = await load('startup/create-tracing.ts');
  for (const file of ['app.ts', 'startup/create-mail.ts', 'startup/create-database.ts']) await load(file);
  const traces = await createTracingIfConfigured(readConfig().traces, { warn() {}, info() {} }, Date.now);
  await traces?.close();
  console.log(JSON.stringify(loaded.map((url) => url.split('/src/')[1]).filter((file) => file?.startsWith('platform/telemetry/'))));
`;

async function loadedWith(environment: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: path.join(import.meta.dirname, '..'),
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  });
  return JSON.parse(stdout) as string[];
}

test('tracing modules are loaded only if tracing is configured', async () => {
  const [off, on] = [
    await loadedWith({}),
    await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }),
  ];
  const more = on.filter((file) => !off.includes(file));
  expect(more).toContain('platform/telemetry/traces/create-tracing.ts');
  expect(off).toContain('platform/telemetry/current-span.ts');
  expect(off.filter((file) => file.includes('/traces/'))).toEqual([]);
});
