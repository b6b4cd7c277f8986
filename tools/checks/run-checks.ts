/**
 * Runs checks and reports their results. The checks are defined in static-checks.ts and tests/test-runners.ts, and selected by
 * test.ts and check.ts.
 */

type Counts = { passed: number; failed: number; skipped: number };

/** `run` throws the problem, or returns counts and failures of tests. */
export type Check = { title: string; run: (signal: AbortSignal) => Promise<TestResult | void> };

export type TestResult = { counts: Counts; failures: string[] };

/** Timeout for hanging checks. Browser tests take 10 to 12 minutes, up to 45 on a slow machine. */
const limitMs = 60 * 60_000;

/**
 * Runs groups one after another, the checks of a group in parallel, until a group fails; sets the exit code. A failed check
 * without tests counts as one failed test.
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
    ? `It did not finish within ${limit / 60_000} minutes.`
    : message;
}
