/** The two test runners: vitest for everything beside the code, Playwright for the journeys in e2e/. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { findBrowser } from '../../browser.ts';
import { root } from '../../install.mjs';
import { failedJourneys, failedTests } from './failed-tests.ts';
import type { Check, TestResult } from '../run-checks.ts';
import { makeWorkDirectory } from './work-directory.ts';

/** How long a test runner that is stopped may tidy up. */
const stopLimitMs = 20_000;

/** Of all files, or of those whose paths contain one of the words; what begins with a dash is vitest's own. */
export const unitTests = (parameters: string[] = []): Check => ({
  title: 'Unit and server tests',
  run: (signal) =>
    runTests(signal, (report) => ({
      script: 'vitest/vitest.mjs',
      parameters: [
        ...(parameters.includes('--watch') ? [] : ['run']),
        // Who chose some wants to see them, and what they print.
        ...(parameters.length > 0 ? ['--reporter=default'] : ['--reporter=dot', '--silent=passed-only']),
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...parameters,
      ],
      // In a log, a colour code around every dot only hides them.
      env: process.stdout.isTTY ? {} : { NO_COLOR: '1' },
      read: (result) => ({
        counts: {
          passed: sum(result['numPassedTests']),
          failed: sum(result['numFailedTests']),
          skipped: sum(result['numPendingTests'], result['numTodoTests']),
        },
        failures: failedTests(result),
      }),
    })),
});

/** The same for journeys, which need the built web application. */
export const journeys = (parameters: string[] = []): Check => ({
  title: 'Browser journeys',
  run: async (signal) => {
    const browser = await findBrowser();
    return runTests(signal, (report) => ({
      script: '@playwright/test/cli.js',
      parameters: [
        'test',
        '--config=e2e/playwright.config.ts',
        `--reporter=${parameters.length > 0 ? 'list' : 'dot'},json`,
        ...parameters,
      ],
      env: { CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
      read: (result) => {
        const found = (result['stats'] ?? {}) as Record<string, unknown>;
        // A journey that passed only the second time did not pass.
        const failed = sum(found['unexpected'], found['flaky']);
        return {
          counts: { passed: sum(found['expected']), failed, skipped: sum(found['skipped']) },
          failures: failedJourneys(result),
        };
      },
    }));
  },
});

type Run = {
  /** In node_modules. */
  script: string;
  parameters: string[];
  env: NodeJS.ProcessEnv;
  read: (report: Record<string, unknown>) => TestResult;
};

/** Runs a runner on the terminal and counts by its report. Throws when it fails without a test that did. */
async function runTests(signal: AbortSignal, describe: (report: string) => Run): Promise<TestResult> {
  const work = await makeWorkDirectory();
  try {
    const report = path.join(work.directory, 'report.json');
    const { script, parameters, env, read } = describe(report);
    const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...parameters], {
      cwd: root,
      env: { ...process.env, ...work.environment, ...env },
      stdio: 'inherit',
    });
    // On an interrupt both runners stop the browsers and servers that they have started.
    const stop = () => {
      // Ctrl+C at a terminal has reached the runner already; a second one would stop it before it is tidy.
      if (!process.stdin.isTTY || signal.reason !== 'SIGINT') child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), stopLimitMs).unref();
    };
    signal.addEventListener('abort', stop);
    const end = await new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, killedBy) => resolve(`exit code ${code ?? killedBy}`));
    });
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
    const text = await readFile(report, 'utf8').catch(() => '{}');
    return believe(read(JSON.parse(text) as Record<string, unknown>), end);
  } finally {
    await rm(work.directory, { recursive: true, force: true });
  }
}

/** A runner that broke off may still end with 0: what it ends with counts only beside tests that it told of. */
export function believe(result: TestResult, end: string): TestResult {
  const { passed, failed, skipped } = result.counts;
  if (passed + failed + skipped === 0) throw new Error(`It ended with ${end} and told of no test.`);
  if (end !== 'exit code 0' && failed === 0) throw new Error(`It ended with ${end}.`);
  return result;
}

function sum(...values: unknown[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);
}
