/**
 * `npm run check`: runs the static checks and the tests of files that have changed since the last commit on main. Vitest selects these
 * tests by imports. Server tests are selected by changed folder instead, because nearly all of them import the whole server.
 * `npm run check -- --all`: runs all unit and server tests.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runChecks } from './checks/run-checks.ts';
import { mayBeEmpty, unitTests } from './checks/run-tests.ts';
import { staticChecks } from './checks/static-checks.ts';
import { root } from './install.mjs';

async function git(...parameters: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', parameters, { cwd: root });
  return stdout.split('\n').filter(Boolean);
}

const branches = await git('branch', '--all', '--format=%(refname:short)');
const main = ['main', 'origin/main'].find((name) => branches.includes(name)) ?? 'HEAD';
const [base = 'HEAD'] = await git('merge-base', main, 'HEAD');
const changed = [
  ...(await git('diff', '--name-only', '--no-renames', base)),
  ...(await git('ls-files', '--others', '--exclude-standard')),
];
const folders = new Set(
  changed.flatMap((file) => /^apps\/server\/src\/(?:features|platform)\/[^/]+\//.exec(file) ?? []),
);
const selected = [
  [unitTests(['--project=other', `--changed=${base}`, mayBeEmpty])],
  ...(folders.size > 0 ? [[unitTests(['--project=server', ...folders, mayBeEmpty])]] : []),
];
await runChecks([staticChecks, ...(process.argv.includes('--all') ? [[unitTests()]] : selected)]);
