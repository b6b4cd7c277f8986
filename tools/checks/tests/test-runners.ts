/** Runs the two test runners: Vitest for unit and server tests, Playwright for browser tests in e2e/. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { findBrowser } from '../../browser.ts';
import { root } from '../../install.mjs';
import { failedJourneys, failedTests } from './failed-tests.ts';
import type { Check, TestResult } from '../run-checks.ts';
import { createWorkDirectory } from './work-directory.ts';

const stopLimitMs = 20_000;

/** Runs all unit and server tests, or those whose paths contain one of the words. Options are passed to Vitest. */
export const unitTests = (parameters: string[] = []): Check => ({
  title: 'Unit and server tests',
  run: (signal) =>
    runTests(signal, (report) => ({
      script: 'vitest/vitest.mjs',
      parameters: [
        ...(parameters.includes('--watch') ? [] : ['run']),
        ...(parameters.length > 0 ? ['--reporter=default'] : ['--reporter=dot', '--silent=passed-only']),
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...parameters,
      ],
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

/** Runs browser tests, which need the built web application. */
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
        // A test that passed only in a retry counts as failed.
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
  /** Path in node_modules. */
  script: string;
  parameters: string[];
  env: NodeJS.ProcessEnv;
  read: (report: Record<string, unknown>) => TestResult;
};

/** Runs a runner and reads its report. Throws if it fails without a failed test. */
async function runTests(signal: AbortSignal, describe: (report: string) => Run): Promise<TestResult> {
  const work = await createWorkDirectory();
  try {
    const report = path.join(work.directory, 'report.json');
    const { script, parameters, env, read } = describe(report);
    const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...parameters], {
      cwd: root,
      env: { ...process.env, ...work.environment, ...env },
      stdio: 'inherit',
    });
    // Both runners stop their browsers and servers on SIGINT.
    const stop = () => {
      // A terminal sends Ctrl+C to the runner too; a second signal would stop it before its cleanup.
      if (!process.stdin.isTTY || signal.reason !== 'SIGINT') child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), stopLimitMs).unref();
    };
    signal.addEventListener('abort', stop);
    const end = await new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, exitSignal) => resolve(`exit code ${code ?? exitSignal}`));
    });
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
    const text = await readFile(report, 'utf8').catch(() => '{}');
    return validateReport(read(JSON.parse(text) as Record<string, unknown>), end);
  } finally {
    await rm(work.directory, { recursive: true, force: true });
  }
}

/** Checks the exit code against the report: an interrupted runner may exit with 0. */
export function validateReport(result: TestResult, end: string): TestResult {
  const { passed, failed, skipped } = result.counts;
  if (passed + failed + skipped === 0) throw new Error(`It ended with ${end} and reported no test.`);
  if (end !== 'exit code 0' && failed === 0) throw new Error(`It ended with ${end}.`);
  return result;
}

function sum(...values: unknown[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);
}
