/**
 * What traces cost (Q3): the application without them, with as many as without a sampler, with a tenth and with all, on one database, asked in turns. What
 * counts is the processor's time of the application's process, since load, database and receiver share the machine.
 */
import path from 'node:path';
import { freePorts, newDataDirectory, removeDataDirectory } from '../../e2e/site/start-server.ts';
import { serverFlags } from '../../tools/server-flags.mjs';
import { median, withUnit, type Figure } from '../report/figure.ts';
import { processorSeconds, root, startChild } from '../harness/child-process.ts';
import { answersPerSecond } from '../harness/http-load.ts';
import { runOnStage, stageSecret, type Stage } from '../harness/bench-site.ts';

/** The same program is now and then a fifth slower from one start to the next. */
const starts = 15;
const rounds = 3;
const requests = 10_000;

/** What the applications are told beside their database. */
const ways = {
  off: { OTEL_SDK_DISABLED: 'true' },
  usual: {},
  all: { OTEL_TRACES_SAMPLER: 'always_on' },
  tenth: { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
};
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

export async function measureTraces(stage: Stage): Promise<Figure[]> {
  await using closing = new AsyncDisposableStack();
  const receiver = await startChild(process.execPath, [path.join(root, 'bench/harness/trace-receiver.ts')], {
    ready: /http:\S+/,
  });
  closing.defer(async () => void (await receiver.stop()));
  const measured: Record<Way, number[]> = { off: [], usual: [], all: [], tenth: [] };
  for (let start = 0; start < starts; start += 1) await measureOnce(stage, receiver.match[0], measured);

  const off = median(measured.off);
  const cost = (way: Way) => ((median(measured[way]) - off) / off) * 100;
  return [
    {
      name: 'traces as they are without a sampler, more of the processor',
      measured: cost('usual'),
      unit: '%',
      limit: { at: 'most', value: 3 },
    },
    {
      name: 'traces of all requests, more of the processor',
      measured: cost('all'),
      unit: '%',
      besides: `${withUnit(off / 1000, 'ms')} → ${withUnit(median(measured.all) / 1000, 'ms')} for one answer`,
    },
    {
      name: 'traces of a tenth, more of the processor',
      measured: cost('tenth'),
      unit: '%',
    },
  ];
}

/** Adds what each way took, in microseconds of a processor for one answer. */
async function measureOnce(stage: Stage, receiver: string, measured: Record<Way, number[]>): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const applications = new Map<Way, { url: string; pid: number }>();
  for (const way of names) {
    const directory = await newDataDirectory();
    closing.defer(() => removeDataDirectory(directory));
    const { web: port } = await freePorts();
    const application = await startChild(
      process.execPath,
      [...serverFlags, path.join(root, 'apps/server/src/main.ts')],
      {
        ready: / is ready: /,
        environment: {
          ...stage.provider.environment,
          PORT: String(port),
          DATABASE_URL: stage.databaseUrl,
          DATA_DIR: directory,
          SECRET: stageSecret.toString(),
          // Nobody is mailed meanwhile.
          SMTP_URL: 'smtp://127.0.0.1:9',
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver,
          ...ways[way],
        },
      },
    );
    closing.defer(async () => void (await application.stop()));
    applications.set(way, { url: `http://127.0.0.1:${port}`, pid: application.pid });
  }

  let index = 0;
  const next = () => ({
    path: '/api/users/me',
    headers: { authorization: `Bearer ${stage.tokens[(index += 1) % stage.tokens.length]}` },
  });
  const ask = async (way: Way) => {
    const { url, pid } = applications.get(way) as { url: string; pid: number };
    const before = await processorSeconds(pid);
    await answersPerSecond(url, { next, amount: requests });
    return (((await processorSeconds(pid)) - before) * 1e6) / requests;
  };
  for (const way of [...names, ...names]) await ask(way);
  for (let round = 0; round < rounds; round += 1)
    for (const way of round % 2 === 0 ? names : names.toReversed()) measured[way].push(await ask(way));
}

if (import.meta.main) await runOnStage(measureTraces);
