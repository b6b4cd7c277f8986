/** Runs the two test runners: Vitest for unit and server tests, Playwright for browser journeys in e2e/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { findBrowser } from '../../packages/cli/src/browser.ts';
import { root } from '../install.mjs';
import type { Check, Counts } from './run-checks.ts';
import { createWorkDirectory } from './work-directory.ts';

const stopLimitMs = 20_000;
export const mayBeEmpty = '--passWithNoTests';

/** Runs all unit and server tests, or those that the parameters of Vitest select. */
export const unitTests = (parameters: string[] = []): Check => ({
  title: 'Unit and server tests',
  run: (signal) =>
    runTests(
      signal,
      'vitest/vitest.mjs',
      (report) => [
        ...(parameters.includes('--watch') ? [] : ['run']),
        ...(parameters.length > 0 ? ['--reporter=default'] : ['--reporter=dot', '--silent=passed-only']),
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...parameters,
      ],
      process.stdout.isTTY ? {} : { NO_COLOR: '1' },
      (report: Partial<Record<string, number>>) => ({
        passed: report['numPassedTests'] ?? 0,
        failed: report['numFailedTests'] ?? 0,
        skipped: (report['numPendingTests'] ?? 0) + (report['numTodoTests'] ?? 0),
      }),
    ),
});

/** Installs the browser of the journeys if there is none, which takes time but hardly the processor. */
export const journeyBrowser: Check = {
  title: 'Browser',
  run: async () => void (await findBrowser()),
};

/** Runs the browser journeys, which need the built web application. */
export const journeys = (parameters: string[] = []): Check => ({
  title: 'Browser journeys',
  run: async (signal) =>
    runTests(
      signal,
      '@playwright/test/cli.js',
      () => [
        'test',
        '--config=e2e/playwright.config.ts',
        ...parameters,
        `--reporter=${parameters.length > 0 ? 'list' : 'dot'},json`,
      ],
      {
        CHROMIUM_PATH: await findBrowser(),
        // A browser that the user has named, or watches, runs all tests.
        ...((process.env['CHROMIUM_PATH'] ||
          parameters.some((name) => /^--(?:debug|headed|ui)/.test(name))) && {
          HEADLESS_SHELL: '',
        }),
      },
      // A test that passed only in a retry counts as failed.
      ({ stats = {} }: { stats?: Partial<Record<string, number>> }) => ({
        passed: stats['expected'] ?? 0,
        failed: (stats['unexpected'] ?? 0) + (stats['flaky'] ?? 0),
        skipped: stats['skipped'] ?? 0,
      }),
    ),
});

/** Runs a test runner and reads its report. Throws if the runner fails although no test failed. */
async function runTests<Report>(
  signal: AbortSignal,
  script: string,
  parametersFor: (report: string) => string[],
  env: NodeJS.ProcessEnv,
  count: (report: Report) => Counts,
): Promise<Counts> {
  const work = await createWorkDirectory();
  try {
    const report = path.join(work.directory, 'report.json');
    const program = path.join(root, 'node_modules', script);
    const child = spawn(process.execPath, [program, ...parametersFor(report)], {
      cwd: root,
      env: { ...process.env, ...work.environment, ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
      stdio: 'inherit',
    });
    // Both runners stop their browsers and servers on SIGINT.
    const stop = () => {
      // A terminal sends Ctrl+C to the runner too; a second signal would stop it before its cleanup.
      if (!process.stdin.isTTY || signal.reason !== 'SIGINT') child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), stopLimitMs).unref();
    };
    signal.addEventListener('abort', stop);
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
    const text = await readFile(report, 'utf8').catch(() => '{}');
    const counts = count(JSON.parse(text) as Report);
    const isEmpty = code === 0 && child.spawnargs.includes(mayBeEmpty);
    return isEmpty ? counts : validateCounts(counts, `exit code ${code ?? killedBy}`);
  } finally {
    await rm(work.directory, { recursive: true, force: true });
  }
}

/** Checks the exit code against the report: an interrupted runner may exit with 0. */
export function validateCounts(counts: Counts, end: string): Counts {
  const { passed, failed, skipped } = counts;
  if (passed + failed + skipped === 0) throw new Error(`It ended with ${end} and reported no test.`);
  if (end !== 'exit code 0' && failed === 0) throw new Error(`It ended with ${end}.`);
  return counts;
}
