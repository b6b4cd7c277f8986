/** Measures `GET /api/users/me` with valid tokens, compared with a bare route that runs one prepared select. */
import { median, formatWithUnit, type Figure } from '../report/figure.ts';
import { measureRequestsPerSecond, type LoadRequest } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { seededSubject } from '../harness/seed-people.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

const rounds = 3;

export async function measureWhoAmI({ url, baselineUrl, tokens }: BenchSite): Promise<Figure[]> {
  const server = inTurn(
    tokens.map((token) => ({ path: '/api/users/me', headers: { authorization: `Bearer ${token}` } })),
  );
  const baseline = inTurn(tokens.map((_, number) => ({ path: `/people/${seededSubject(number)}` })));
  const round = async (seconds: number) => ({
    server: await measureRequestsPerSecond(url, { createRequest: server, seconds }),
    baseline: await measureRequestsPerSecond(baselineUrl, { createRequest: baseline, seconds }),
  });
  await round(2);
  const measured: Awaited<ReturnType<typeof round>>[] = [];
  for (let index = 0; index < rounds; index += 1) measured.push(await round(options.seconds));
  const [serverRate, baselineRate] = [
    median(measured.map((one) => one.server)),
    median(measured.map((one) => one.baseline)),
  ];
  const baselineLabel = `Fastify with one select: ${formatWithUnit(baselineRate, '/s')}`;
  return [
    {
      name: 'who am I, 16 connections',
      measured: serverRate,
      unit: '/s',
      baseline: baselineLabel,
      peers: peers.whoAmI,
    },
    {
      name: 'who am I, share of the ceiling',
      measured: (serverRate / baselineRate) * 100,
      unit: '%',
      limit: { at: 'least', value: 60 },
      baseline: baselineLabel,
    },
  ];
}

function inTurn(requests: LoadRequest[]): () => LoadRequest {
  let index = 0;
  return () => requests[(index += 1) % requests.length] as LoadRequest;
}

if (import.meta.main) await runOnBenchSite(measureWhoAmI);
