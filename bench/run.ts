/**
 * `npm run bench [name …]`: runs all or the named measurements and prints one table; `-- --write` updates docs/benchmarks.md.
 * Files of load/, browser/ and process/ can also be run directly.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { benchmarksPagePath, describeMachine, replaceFigures } from './report/benchmarks-page.ts';
import { printFigures, type Figure } from './report/figure.ts';
import { measureDashboard } from './load/dashboard.ts';
import { measureInviteMany } from './load/invite-many.ts';
import { measureBackup } from './process/backup.ts';
import { measureClickToDashboard } from './browser/click-to-dashboard.ts';
import { measureDailyJobs } from './browser/daily-jobs.ts';
import { measureGridScroll } from './browser/grid-scroll.ts';
import { measureInp } from './browser/inp.ts';
import { measureInvite } from './load/invite.ts';
import { measureAttachments } from './load/attachments.ts';
import { measureLists } from './load/lists.ts';
import { measureLoginPaint } from './browser/login-paint.ts';
import { measureMemory } from './load/memory.ts';
import { isTrial, options } from './report/options.ts';
import { measurePasskeys } from './load/passkeys.ts';
import { measurePdfPreview } from './browser/pdf-preview.ts';
import { measurePeoplePage } from './load/people-page.ts';
import { measureSessions } from './load/sessions.ts';
import { measureRedeem } from './load/redeem.ts';
import { drainMailQueue, withBenchSite, type BenchSite } from './harness/bench-site.ts';
import { measureStart } from './process/start.ts';
import { measureWebBudgets } from './browser/web-budgets.ts';
import { measureTraces } from './load/traces.ts';
import { measureWebhooks } from './load/webhooks.ts';
import { measureWhoAmI } from './load/who-am-i.ts';

/** Measurements that share one server and database. `memory` is last, because it reports the peak of all. */
const loadMeasurements: Record<string, (site: BenchSite) => Figure[] | Promise<Figure[]>> = {
  'who-am-i': measureWhoAmI,
  'people-page': measurePeoplePage,
  lists: measureLists,
  dashboard: measureDashboard,
  attachments: measureAttachments,
  invite: measureInvite,
  'invite-many': measureInviteMany,
  redeem: measureRedeem,
  sessions: measureSessions,
  passkeys: measurePasskeys,
  webhooks: measureWebhooks,
  traces: measureTraces,
  memory: measureMemory,
};
const standaloneMeasurements: Record<string, () => Promise<Figure[]>> = {
  'web-budgets': measureWebBudgets,
  'login-paint': measureLoginPaint,
  'click-to-dashboard': measureClickToDashboard,
  'pdf-preview': measurePdfPreview,
  'daily-jobs': measureDailyJobs,
  'grid-scroll': measureGridScroll,
  inp: measureInp,
  start: measureStart,
  backup: measureBackup,
};

const allNames = [...Object.keys(loadMeasurements), ...Object.keys(standaloneMeasurements)];
const unknown = options.names.filter((name) => !allNames.includes(name));
if (unknown.length > 0) {
  console.error(`There is no measurement called ${unknown.join(', ')}. There are: ${allNames.join(', ')}.`);
  process.exit(1);
}
const isSelected = (name: string) => options.names.length === 0 || options.names.includes(name);

if (options.write && isTrial) {
  console.error('Figures of a trial run are not written.');
  process.exit(1);
}
const machine = describeMachine();
console.log(machine);
if (isTrial) console.log('Trial run: figures are not comparable.');
const figures = new Map<string, Figure[]>();
try {
  if (Object.keys(loadMeasurements).some(isSelected))
    await withBenchSite(async (site) => {
      for (const [name, measure] of Object.entries(loadMeasurements))
        if (isSelected(name)) {
          await drainMailQueue(site);
          figures.set(name, await measure(site));
        }
    });
  for (const [name, measure] of Object.entries(standaloneMeasurements))
    if (isSelected(name)) figures.set(name, await measure());
} finally {
  printFigures([...figures.values()].flat());
}
if (options.write) {
  let page = await readFile(benchmarksPagePath, 'utf8');
  for (const [name, measured] of figures) page = replaceFigures(page, name, measured, machine);
  await writeFile(benchmarksPagePath, page);
}
