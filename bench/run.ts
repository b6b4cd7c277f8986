/**
 * `npm run bench [name …]`: measures all, or what is named, and prints one table; `-- --write` puts the figures into
 * docs/benchmarks.md. Each file of on-stage/ and alone/ also runs by itself.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { benchmarksPage, describeMachine, writeFigures } from './report/benchmarks-page.ts';
import { printFigures, type Figure } from './report/figure.ts';
import { measureDashboard } from './on-stage/dashboard.ts';
import { measureInviteMany } from './on-stage/invite-many.ts';
import { measureBackup } from './alone/backup.ts';
import { measureClickToDashboard } from './alone/click-to-dashboard.ts';
import { measureDailyJobs } from './alone/daily-jobs.ts';
import { measureGridScroll } from './alone/grid-scroll.ts';
import { measureInp } from './alone/inp.ts';
import { measureInvite } from './on-stage/invite.ts';
import { measureAttachments } from './on-stage/attachments.ts';
import { measureLists } from './on-stage/lists.ts';
import { measureLoginPaint } from './alone/login-paint.ts';
import { measureMemory } from './on-stage/memory.ts';
import { isTrial, options } from './report/options.ts';
import { measurePasskeys } from './on-stage/passkeys.ts';
import { measurePdfPreview } from './alone/pdf-preview.ts';
import { measurePeoplePage } from './on-stage/people-page.ts';
import { measureSessions } from './on-stage/sessions.ts';
import { measureRedeem } from './on-stage/redeem.ts';
import { takeBackMails, onStage, type Stage } from './stage/stage.ts';
import { measureStart } from './alone/start.ts';
import { measureWebBudgets } from './alone/web-budgets.ts';
import { measureTraces } from './on-stage/traces.ts';
import { measureWebhooks } from './on-stage/webhooks.ts';
import { measureWhoAmI } from './on-stage/who-am-i.ts';

/** These share one server and one database; memory comes last, since it tells of the load of the others. */
const onOneStage: Record<string, (stage: Stage) => Figure[] | Promise<Figure[]>> = {
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
const alone: Record<string, () => Promise<Figure[]>> = {
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

const all = [...Object.keys(onOneStage), ...Object.keys(alone)];
const unknown = options.names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no measurement called ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(1);
}
const wanted = (name: string) => options.names.length === 0 || options.names.includes(name);

if (options.write && isTrial) {
  console.error('The figures of a trial run do not count, so they are not written.');
  process.exit(1);
}
const machine = describeMachine();
console.log(machine);
if (isTrial) console.log('A trial run: the figures do not count.');
const figures = new Map<string, Figure[]>();
try {
  if (Object.keys(onOneStage).some(wanted))
    await onStage(async (stage) => {
      for (const [name, measure] of Object.entries(onOneStage))
        if (wanted(name)) {
          await takeBackMails(stage);
          figures.set(name, await measure(stage));
        }
    });
  for (const [name, measure] of Object.entries(alone)) if (wanted(name)) figures.set(name, await measure());
} finally {
  printFigures([...figures.values()].flat());
}
if (options.write) {
  let page = await readFile(benchmarksPage, 'utf8');
  for (const [name, found] of figures) page = writeFigures(page, name, found, machine);
  await writeFile(benchmarksPage, page);
}
