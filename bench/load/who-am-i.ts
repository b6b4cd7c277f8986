/** `GET /api/users/me` with valid tokens, beside a bare route that does one prepared select. */
import { median, withUnit, type Figure } from '../report/figure.ts';
import { answersPerSecond, type Shot } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { seededSubject } from '../harness/seed-people.ts';
import { runOnStage, type Stage } from '../harness/bench-site.ts';

const rounds = 3;

export async function measureWhoAmI({ url, ceilingUrl, tokens }: Stage): Promise<Figure[]> {
  const ours = inTurn(
    tokens.map((token) => ({ path: '/api/users/me', headers: { authorization: `Bearer ${token}` } })),
  );
  const bare = inTurn(tokens.map((_, number) => ({ path: `/people/${seededSubject(number)}` })));
  const round = async (seconds: number) => ({
    ours: await answersPerSecond(url, { next: ours, seconds }),
    bare: await answersPerSecond(ceilingUrl, { next: bare, seconds }),
  });
  await round(2);
  const measured: Awaited<ReturnType<typeof round>>[] = [];
  for (let index = 0; index < rounds; index += 1) measured.push(await round(options.seconds));
  const [me, ceiling] = [median(measured.map((one) => one.ours)), median(measured.map((one) => one.bare))];
  const beside = `Fastify with one select: ${withUnit(ceiling, '/s')}`;
  return [
    { name: 'who am I, 16 connections', measured: me, unit: '/s', ceiling: beside, peers: peers.whoAmI },
    {
      name: 'who am I, share of the ceiling',
      measured: (me / ceiling) * 100,
      unit: '%',
      limit: { at: 'least', value: 60 },
      ceiling: beside,
    },
  ];
}

function inTurn(shots: Shot[]): () => Shot {
  let index = 0;
  return () => shots[(index += 1) % shots.length] as Shot;
}

if (import.meta.main) await runOnStage(measureWhoAmI);
