/**
 * Measures the overhead of tracing (Q3): without traces, with the default sampler, a tenth and all, on one database, alternating.
 * Compares the processor time of the server process, because load generator, database and receiver share the machine.
 */
import path from 'node:path';
import { findFreePorts, createDataDirectory, removeDataDirectory } from '../../e2e/fixtures/start-server.ts';
import { serverFlags } from '../../tools/server-flags.mjs';
import { median, formatWithUnit, type Figure } from '../report/figure.ts';
import { processorSeconds, root, startChild } from '../harness/child-process.ts';
import { measureRequestsPerSecond } from '../harness/http-load.ts';
import { runOnBenchSite, benchSecret, type BenchSite } from '../harness/bench-site.ts';

/** The same program may be a fifth slower after another start, so it is restarted often. */
const restarts = 15;
const rounds = 3;
const requests = 10_000;

const tracingModes = {
  off: { OTEL_SDK_DISABLED: 'true' },
  usual: {},
  all: { OTEL_TRACES_SAMPLER: 'always_on' },
  tenth: { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
};
type TracingMode = keyof typeof tracingModes;
const modes = Object.keys(tracingModes) as TracingMode[];

export async function measureTraces(site: BenchSite): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const receiver = await startChild(process.execPath, [path.join(root, 'bench/harness/trace-receiver.ts')], {
    ready: /http:\S+/,
  });
  cleanup.defer(async () => void (await receiver.stop()));
  const measured: Record<TracingMode, number[]> = { off: [], usual: [], all: [], tenth: [] };
  for (let start = 0; start < restarts; start += 1)
    await measureAfterRestart(site, receiver.match[0], measured);

  const off = median(measured.off);
  const extraPercent = (mode: TracingMode) => ((median(measured[mode]) - off) / off) * 100;
  return [
    {
      name: 'traces as they are without a sampler, more of the processor',
      measured: extraPercent('usual'),
      unit: '%',
      limit: { at: 'most', value: 3 },
    },
    {
      name: 'traces of all requests, more of the processor',
      measured: extraPercent('all'),
      unit: '%',
      note: `${formatWithUnit(off / 1000, 'ms')} → ${formatWithUnit(median(measured.all) / 1000, 'ms')} for one answer`,
    },
    {
      name: 'traces of a tenth, more of the processor',
      measured: extraPercent('tenth'),
      unit: '%',
    },
  ];
}

/** Appends the microseconds of processor time per response of each mode. */
async function measureAfterRestart(
  site: BenchSite,
  receiver: string,
  measured: Record<TracingMode, number[]>,
): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const applications = new Map<TracingMode, { url: string; pid: number }>();
  for (const mode of modes) {
    const directory = await createDataDirectory();
    cleanup.defer(() => removeDataDirectory(directory));
    const { web: port } = await findFreePorts();
    const application = await startChild(
      process.execPath,
      [...serverFlags, path.join(root, 'apps/server/src/main.ts')],
      {
        ready: / is ready: /,
        environment: {
          ...site.provider.environment,
          PORT: String(port),
          DATABASE_URL: site.databaseUrl,
          DATA_DIR: directory,
          SECRET: benchSecret.toString(),
          SMTP_URL: 'smtp://127.0.0.1:9',
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver,
          ...tracingModes[mode],
        },
      },
    );
    cleanup.defer(async () => void (await application.stop()));
    applications.set(mode, { url: `http://127.0.0.1:${port}`, pid: application.pid });
  }

  let index = 0;
  const createRequest = () => ({
    path: '/api/users/me',
    headers: { authorization: `Bearer ${site.tokens[(index += 1) % site.tokens.length]}` },
  });
  const measureMode = async (mode: TracingMode) => {
    const { url, pid } = applications.get(mode) as { url: string; pid: number };
    const before = await processorSeconds(pid);
    await measureRequestsPerSecond(url, { createRequest, amount: requests });
    return (((await processorSeconds(pid)) - before) * 1e6) / requests;
  };
  for (const mode of [...modes, ...modes]) await measureMode(mode);
  for (let round = 0; round < rounds; round += 1)
    for (const mode of round % 2 === 0 ? modes : modes.toReversed())
      measured[mode].push(await measureMode(mode));
}

if (import.meta.main) await runOnBenchSite(measureTraces);
