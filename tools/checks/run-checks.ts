/**
 * Runs checks and says how each went. What a check prints is its own matter (static-checks.ts, tests/test-runs.ts); which there are
 * stands in test.ts and check.ts.
 */

type Counts = { passed: number; failed: number; skipped: number };

/** `run` throws what is wrong, or gives the tests it counted and what is to be said of those that failed. */
export type Check = { title: string; run: (signal: AbortSignal) => Promise<TestResult | void> };

export type TestResult = { counts: Counts; failures: string[] };

/**
 * Of a check that hangs, which must not look like one that works. The journeys, the longest, take 10 to 12 minutes, and 45 on
 * a slow machine, which is no failure of theirs.
 */
const limitMs = 60 * 60_000;

/**
 * Runs groups of checks one after the other, those of a group side by side, until a group fails; sets the exit code. The last
 * line counts the tests; a check without tests that fails counts as one.
 */
export async function runChecks(groups: Check[][], limit = limitMs): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interrupted.abort(signal));
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const start = performance.now();

  async function runOne({ title, run }: Check): Promise<void> {
    const startedAt = performance.now();
    const signal = AbortSignal.any([AbortSignal.timeout(limit), interrupted.signal]);
    let problem: string | undefined;
    try {
      const result = await run(signal);
      for (const name of ['passed', 'failed', 'skipped'] as const) total[name] += result?.counts[name] ?? 0;
      if (result && result.counts.failed > 0) problem = '';
      failures.push(...(result?.failures ?? []));
    } catch (error) {
      problem = reasonOf(error as Error, interrupted.signal.aborted, limit);
      total.failed += 1;
    }
    const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    console.log(
      problem === undefined
        ? `   ${title.padEnd(24)} ${seconds}`
        : `${problem}\n\nFAILED: ${title} (${seconds})`,
    );
  }

  for (const group of groups) {
    console.log(`\n── ${group.map(({ title }) => title).join(', ')}`);
    await Promise.all(group.map(runOne));
    if (total.failed > 0) break;
  }
  for (const failure of failures) console.log(`\nFAILED: ${failure}`);
  console.log(`\n   ${((performance.now() - start) / 1000).toFixed(1)} s in all`);
  if (total.skipped > 0) console.log(`${total.skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

function reasonOf({ name, message }: Error, interrupted: boolean, limit: number): string {
  if (interrupted) return 'Interrupted.';
  return name === 'AbortError' || name === 'TimeoutError'
    ? `It did not end within ${limit / 60_000} minutes.`
    : message;
}
