/** Measures the dashboard routes, one request at a time. */
import {
  dashboardDays,
  getDashboardFigures,
  getOwnDashboard,
  getPendingCount,
} from '@vestibule/contract/dashboard';
import type { Figure } from '../report/figure.ts';
import { seedInvitations } from './lists.ts';
import { measureMedianMs } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

const repetitions = 30;

export async function measureDashboard({ url, tokens, database }: BenchSite): Promise<Figure[]> {
  await seedInvitations(database, options.people);
  await database.query(
    `insert into sign_ins (person_id, session, at, address, user_agent)
     select id, 'bench', joined_at, '127.0.0.1', 'bench' from people on conflict do nothing`,
  );
  await database.query('vacuum (analyze) sign_ins, counts');
  const headers = { authorization: `Bearer ${tokens[0]}` };
  const measureMs = (path: string) =>
    measureMedianMs(repetitions, async () => {
      const answer = await fetch(url + path, { headers });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
    });
  const measureRoute = async (name: string, path: string): Promise<Figure> => ({
    name: `dashboard, ${name}`,
    measured: await measureMs(path),
    unit: 'ms',
    limit: { at: 'most', value: 50 },
  });
  const figures = [
    await measureRoute('my own', getOwnDashboard.path),
    await measureRoute('pending counts', getPendingCount.path),
  ];
  for (const days of dashboardDays)
    figures.push(
      await measureRoute(
        `figures over ${days} days`,
        `${getDashboardFigures.path}?days=${days}&timeZone=Asia/Kathmandu`,
      ),
    );
  return figures;
}

if (import.meta.main) await runOnBenchSite(measureDashboard);
