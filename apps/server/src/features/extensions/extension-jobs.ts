/** Jobs of extensions. Each runs in one process at a time, because a process leases its row before it runs the job. */
import type { Logger } from 'pino';
import { execute, type DatabaseDeps, type Queryable } from '../../platform/database/database.ts';
import type { ExtensionContext, ExtensionJob } from '../../platform/extensions/extension.ts';
import { every, type Timer } from '../../platform/timers.ts';

const pollIntervalMs = 2_000;
/** A process that was killed blocks a job for at most this time. */
const leaseMs = 60_000;
const renewLeaseMs = 20_000;
const retryDelayMs = 60_000;

export type NamedJob = {
  /** Such as `tickets/remind`. */
  name: string;
  job: ExtensionJob<ExtensionContext>;
  context: ExtensionContext;
};

type Deps = DatabaseDeps & { logger: Logger };

export function createJobTimers(
  deps: Deps,
  jobs: readonly NamedJob[],
): { timers: Timer[]; failures: Record<string, number> } {
  const failures = Object.fromEntries(jobs.map(({ name }) => [name, 0]));
  const timers = jobs.map((job) => {
    let hasRow = false;
    return every(pollIntervalMs, `the job ${job.name}`, async (stopped) => {
      if (!hasRow) await addRow(deps, job);
      hasRow = true;
      if (!(await claim(deps, job))) return;
      const renewing = setInterval(() => void renewLease(deps, job).catch(() => {}), renewLeaseMs);
      let retryAt: Date | null = null;
      try {
        await job.job.run(job.context, stopped);
      } catch (error) {
        failures[job.name] = (failures[job.name] ?? 0) + 1;
        deps.logger.error({ err: error }, `the job ${job.name} failed`);
        retryAt = new Date(deps.now() + retryDelayMs);
      } finally {
        clearInterval(renewing);
        await release(deps, job, retryAt);
      }
    });
  });
  return { timers, failures };
}

/** Makes a job due. The row exists after the first poll of any process. */
export const startJob = (transaction: Queryable, name: string, now: number): Promise<unknown> =>
  execute(transaction)`
    insert into extension_jobs (name, due_at) values (${name}, ${new Date(now)})
    on conflict (name) do update set due_at = least(extension_jobs.due_at, excluded.due_at)`;

const nextRun = ({ job: { everyMs } }: NamedJob, now: number) =>
  everyMs === undefined ? 'infinity' : new Date(now + everyMs);

const addRow = ({ database, now }: Deps, job: NamedJob) =>
  execute(database)`
    insert into extension_jobs (name, due_at) values (${job.name}, ${nextRun(job, now())}) on conflict do nothing`;

/**
 * Leases a job that is due, or whose process did not end its lease. Returns false if there is nothing to run. A start
 * during the run makes the job due again.
 */
async function claim({ database, now }: Deps, job: NamedJob): Promise<boolean> {
  const at = new Date(now());
  const claimed = await execute(database, { name: 'claim-extension-job' })`
    update extension_jobs set leased_until = ${new Date(now() + leaseMs)}, due_at = ${nextRun(job, now())}
    where name = ${job.name} and leased_until <= ${at} and (due_at <= ${at} or leased_until > '-infinity')`;
  return claimed > 0;
}

const renewLease = ({ database, now }: Deps, { name }: NamedJob) =>
  execute(database)`
    update extension_jobs set leased_until = ${new Date(now() + leaseMs)} where name = ${name}`;

const release = ({ database }: Deps, { name }: NamedJob, retryAt: Date | null) =>
  execute(database)`
    update extension_jobs set leased_until = '-infinity', due_at = least(due_at, ${retryAt}::timestamptz)
      where name = ${name}`;
