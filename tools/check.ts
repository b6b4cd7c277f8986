/**
 * `npm run check`: static checks, and the unit and server tests affected by changes since the last commit on main. `npm run check
 * -- --all`: all unit and server tests. Browser tests: `npm test`.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chooseByChange } from './checks/tests/choose-tests.ts';
import { root } from './install.mjs';
import { runChecks } from './checks/run-checks.ts';
import { readTree } from './checks/source-imports.ts';
import { staticChecks } from './checks/static-checks.ts';
import { unitTests } from './checks/tests/test-runners.ts';

async function git(...parameters: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', parameters, { cwd: root });
  return stdout.split('\n').filter(Boolean);
}

async function findChanged(): Promise<string[]> {
  const branches = await git('branch', '--all', '--format=%(refname:short)');
  const main = ['main', 'origin/main'].find((name) => branches.includes(name)) ?? 'HEAD';
  const [base = 'HEAD'] = await git('merge-base', main, 'HEAD');
  return [
    ...(await git('diff', '--name-only', '--no-renames', base)),
    ...(await git('ls-files', '--others', '--exclude-standard')),
  ];
}

if (process.argv.includes('--all')) await runChecks([staticChecks, [unitTests()]]);
else {
  const tests = chooseByChange(await readTree(root), await findChanged());
  console.log(
    tests.length === 0
      ? 'No test belongs to what has changed since the last commit on main; --all runs all of them.'
      : `${tests.length} files of tests belong to what has changed since the last commit on main.`,
  );
  await runChecks([staticChecks, ...(tests.length > 0 ? [[unitTests(tests)]] : [])]);
}
