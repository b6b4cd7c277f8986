/**
 * `npm test`: every check of the project, one after the other, until one fails. Static checks are silent unless they
 * fail; the tests' own reporters show how far they are. The last line counts the tests that vitest and Playwright ran.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { findBrowser } from './browser.ts';
import { buildWeb } from './build-web.mjs';
import { formatBudgets, isOverBudget, measureBudgets } from './check-budgets.ts';
import { findViolations } from './check-imports.ts';
import { root } from './install.mjs';
import { runQuietly } from './run-quietly.mjs';
import { readTree } from './source-imports.ts';
import { findTextProblems } from './texts.ts';
import { makeWorkDirectory } from './work-directory.ts';

type Counts = { passed: number; failed: number; skipped: number };
type Check = { title: string; run: () => Promise<void> };

/** No check takes nearly this long; one that hangs must not look like one that works. */
const limitMs = 20 * 60_000;
/** How long a test runner that is stopped may tidy up. */
const stopLimitMs = 20_000;
const projects = ['.', 'apps/web', 'apps/web/tsconfig.build.json', 'e2e'];
const interrupted = new AbortController();
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
const work = await makeWorkDirectory();

const checks: Check[] = [
  {
    title: 'Types',
    run: async () => {
      for (const project of projects)
        await runTool(`tsc -p ${project}`, 'typescript/bin/tsc', ['-p', project]);
    },
  },
  {
    title: 'Lint',
    run: () => runTool('oxlint', 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
  },
  { title: 'Format', run: () => runTool('oxfmt --check', 'oxfmt/bin/oxfmt', ['--check', '.']) },
  { title: 'Import rules', run: checkImports },
  { title: 'Texts in all languages', run: checkTexts },
  { title: 'Unit and server tests', run: runUnitTests },
  { title: 'Web build and its size', run: buildAndWeigh },
  { title: 'Browser journeys', run: runJourneys },
];

async function checkImports(): Promise<void> {
  const violations = findViolations(await readTree(root));
  if (violations.length > 0) throw new Error(violations.join('\n'));
}

async function checkTexts(): Promise<void> {
  const problems = await findTextProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

async function runUnitTests(): Promise<void> {
  const report = path.join(work.directory, 'vitest.json');
  // In a log, a colour code around every dot only hides them.
  const env: NodeJS.ProcessEnv = process.stdout.isTTY ? {} : { NO_COLOR: '1' };
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  try {
    await runTests('vitest/vitest.mjs', ['run', '--silent=passed-only', ...reporters], env);
  } finally {
    const result = await readReport(report);
    add({
      passed: result['numPassedTests'],
      failed: result['numFailedTests'],
      skipped: sum(result['numPendingTests'], result['numTodoTests']),
    });
  }
}

async function buildAndWeigh(): Promise<void> {
  await buildWeb({ node: process.execPath, env: process.env });
  const figures = await measureBudgets(path.join(root, 'apps', 'web', 'dist'));
  console.log(formatBudgets(figures));
  if (figures.some(isOverBudget)) throw new Error('The web application has outgrown a budget.');
}

async function runJourneys(): Promise<void> {
  const report = path.join(work.directory, 'playwright.json');
  const env = { CHROMIUM_PATH: await findBrowser(), PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  try {
    await runTests(
      '@playwright/test/cli.js',
      ['test', '-c', 'e2e/playwright.config.ts', '--reporter=dot,json'],
      env,
    );
  } finally {
    const stats = ((await readReport(report))['stats'] ?? {}) as Record<string, unknown>;
    // A journey that passed only the second time did not pass.
    add({
      passed: stats['expected'],
      failed: sum(stats['unexpected'], stats['flaky']),
      skipped: stats['skipped'],
    });
  }
}

/** Runs a package's program; what it prints is shown when it fails. */
async function runTool(title: string, script: string, parameters: string[]): Promise<void> {
  await runQuietly(title, process.execPath, [inPackages(script), ...parameters], {
    cwd: root,
    signal: timeLimit(),
  });
}

/** Runs a package's program with its output on the terminal. */
async function runTests(script: string, parameters: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(process.execPath, [inPackages(script), ...parameters], {
    cwd: root,
    env: { ...process.env, ...work.environment, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const limit = timeLimit();
  // On an interrupt both test runners stop the browsers and servers that they have started.
  const stop = () => {
    // Ctrl+C at a terminal has reached the runner already; a second one would stop it before it is tidy.
    if (!process.stdin.isTTY || interrupted.signal.reason !== 'SIGINT') child.kill('SIGINT');
    setTimeout(() => child.kill('SIGKILL'), stopLimitMs).unref();
  };
  limit.addEventListener('abort', stop);
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `exit code ${code ?? signal}`));
  });
  limit.removeEventListener('abort', stop);
  limit.throwIfAborted();
  if (failure !== undefined) throw new Error(`It ended with ${failure}.`);
}

function inPackages(script: string): string {
  return path.join(root, 'node_modules', script);
}

function timeLimit(): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(limitMs), interrupted.signal]);
}

async function readReport(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, unknown>;
}

function add(result: Record<keyof Counts, unknown>): void {
  for (const name of ['passed', 'failed', 'skipped'] as const) counts[name] += sum(result[name]);
}

function sum(...values: unknown[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);
}

/** The time of each finished check, for the summary. */
const durations = new Map<string, number>();

async function runChecks(): Promise<boolean> {
  for (const { title, run } of checks) {
    console.log(`\n── ${title}`);
    const start = performance.now();
    try {
      await run();
    } catch (error) {
      console.log(`${reasonOf(error)}\n\nFAILED: ${title}`);
      // A check without tests of its own counts as one, and so does one that ended before it could count.
      counts.failed ||= 1;
      return false;
    }
    durations.set(title, performance.now() - start);
    console.log(`   passed in ${inSeconds(performance.now() - start)}`);
  }
  return true;
}

function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  if (interrupted.signal.aborted) return 'Interrupted.';
  return name === 'AbortError' || name === 'TimeoutError'
    ? `It did not end within ${limitMs / 60_000} minutes.`
    : message;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupted.abort(signal));

const start = performance.now();
const passed = await runChecks();
await rm(work.directory, { recursive: true, force: true });
if (passed) {
  console.log(`\n── Summary: all ${checks.length} checks passed in ${inSeconds(performance.now() - start)}`);
  for (const [title, duration] of durations) console.log(`   ${title.padEnd(24)} ${inSeconds(duration)}`);
}
if (counts.skipped > 0) console.log(`\n${counts.skipped} skipped`);
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
