/** run.mjs runs on the Node.js of the machine, 18 or newer. Every command answers --help. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { answerUsage } from '../apps/server/src/command-usage.mjs';
import { commands } from './commands.mjs';

async function readWithImports(file: string, read = new Map<string, string>()): Promise<Map<string, string>> {
  if (read.has(file)) return read;
  const text = await readFile(file, 'utf8');
  read.set(file, text);
  for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)'/g))
    await readWithImports(path.join(path.dirname(file), imported), read);
  return read;
}

test('run.mjs uses no feature that Node.js 18 lacks', async () => {
  const read = await readWithImports(path.join(import.meta.dirname, 'run.mjs'));
  expect([...read.keys()].map((file) => path.basename(file))).toContain('server-flags.mjs');
  const tooNew = [...read].filter(
    ([file, text]) =>
      !file.endsWith('.mjs') ||
      /import\.meta\.(?!url\b)|\bnavigator\.|process\.(?:loadEnvFile|features\.typescript)/.test(text),
  );
  expect(tooNew.map(([file]) => path.basename(file))).toEqual([]);
});

describe('usage', () => {
  const root = path.dirname(import.meta.dirname);
  const dataDirectory = path.join(root, 'node_modules', '.cache', 'no-data');
  const run = (script: string, ...parameters: string[]) => {
    const env = { ...process.env, DATA_DIR: dataDirectory, npm_lifecycle_event: '' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, script), ...parameters], {
      encoding: 'utf8',
      env,
    });
    return { status, stdout, stderr };
  };
  const entries = {
    'npm run': 'tools/run.mjs',
    image: 'tools/image-entrypoint.mjs',
    portal: 'packages/cli/src/vestibule.ts',
    'script of the server': 'apps/server/src/commands/restore.ts',
  };

  test.each(Object.entries(commands))('npm run %s -- --help prints the usage', (name, command) => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    onTestFinished(() => print.mockRestore());
    // npm sets this variable for the tests too.
    vi.stubEnv('npm_lifecycle_event', name);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(answerUsage(name, command, ['--help'])).toBe(0);
    expect(print.mock.calls[0]?.[0]).toMatch(new RegExp(`^Usage: npm (?:run )?${name}.*\n\n[A-Z]`));
  });

  test.each(Object.entries(entries))(
    '%s: restore answers --help and a wrong option without touching the data',
    (kind, script) => {
      const name = kind === 'script of the server' ? [] : ['restore'];
      expect(run(script, ...name, '--help')).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^Usage: vestibule restore FILE \[--for-testing\]\n/),
      });
      expect(run(script, ...name, 'a.backup', '--dry-run')).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^Unknown parameter: --dry-run\n\nUsage: vestibule restore FILE \[--for-testing\]\n/,
        ),
      });
      expect(existsSync(dataDirectory)).toBe(false);
    },
  );

  test.each(['npm run', 'image', 'portal'] as const)('%s: lists the commands', (kind) => {
    const list = expect.stringMatching(/\n {2}restore +Restores the backup FILE/);
    expect(run(entries[kind], '--help')).toMatchObject({ status: 0, stdout: list });
    expect(run(entries[kind], 'repair')).toMatchObject({ status: 2, stderr: list });
  });

  test.each(['--port', 'backup'])('a server with the unknown parameter %s does not start', (parameter) => {
    expect(run('apps/server/src/main.ts', '--project', '.', parameter)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`Unknown parameter: ${parameter}\n`),
    });
  });
});
