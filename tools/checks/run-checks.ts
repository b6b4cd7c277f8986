/** Runs checks and reports their results. The checks are defined in static-checks.ts and run-tests.ts, and selected by test.ts and check.ts. */

export type Counts = { passed: number; failed: number; skipped: number };

/** `run` throws the problem, or returns the counts of tests. */
export type Check = { title: string; run: (signal: AbortSignal) => Promise<Counts | void> };

/**
 * Runs groups one after another, the checks of a group in parallel, until a group fails; sets the exit code. A failed check without tests
 * counts as one failed test.
 */
export async function runChecks(groups: Check[][]): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interrupted.abort(signal));
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const start = performance.now();
  const secondsSince = (startedAt: number) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

  async function runOne({ title, run }: Check): Promise<void> {
    const startedAt = performance.now();
    let problem: string | undefined;
    try {
      const counts = (await run(interrupted.signal)) ?? { passed: 0, failed: 0, skipped: 0 };
      for (const name of ['passed', 'failed', 'skipped'] as const) total[name] += counts[name];
      if (counts.failed > 0) problem = `${counts.failed} tests failed.`;
    } catch (error) {
      problem = interrupted.signal.aborted ? 'Interrupted.' : (error as Error).message;
      total.failed += 1;
    }
    console.log(
      problem === undefined
        ? `   ${title.padEnd(24)} ${secondsSince(startedAt)}`
        : `${problem}\n\nFAILED: ${title} (${secondsSince(startedAt)})`,
    );
  }

  for (const group of groups) {
    console.log(`\n── ${group.map(({ title }) => title).join(', ')}`);
    await Promise.all(group.map(runOne));
    if (total.failed > 0) break;
  }
  console.log(`\n   ${secondsSince(start)} in all`);
  if (total.skipped > 0) console.log(`${total.skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}
