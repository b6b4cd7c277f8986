/** `npm run bench [name …]`: measures all, or what is named, and prints one table. Each file beside this one also runs alone. */
import { cpus, totalmem } from 'node:os';
import { printFigures, type Figure } from './figure.ts';
import { measureDashboard } from './dashboard.ts';
import { measureInviteMany } from './invite-many.ts';
import { measureGridScroll } from './grid-scroll.ts';
import { measureInp } from './inp.ts';
import { measureInvite } from './invite.ts';
import { measureAttachments } from './attachments.ts';
import { measureLists } from './lists.ts';
import { measureLoginPaint } from './login-paint.ts';
import { measureMemory } from './memory.ts';
import { isTrial, options } from './options.ts';
import { measurePeoplePage } from './people-page.ts';
import { measureRedeem } from './redeem.ts';
import { onStage, type Stage } from './stage.ts';
import { measureStart } from './start.ts';
import { measureWebBudgets } from './web-budgets.ts';
import { measureWhoAmI } from './who-am-i.ts';

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
  memory: measureMemory,
};
const alone: Record<string, () => Promise<Figure[]>> = {
  'web-budgets': measureWebBudgets,
  'login-paint': measureLoginPaint,
  'grid-scroll': measureGridScroll,
  inp: measureInp,
  start: measureStart,
};

const all = [...Object.keys(onOneStage), ...Object.keys(alone)];
const unknown = options.names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no measurement called ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(1);
}
const wanted = (name: string) => options.names.length === 0 || options.names.includes(name);

console.log(
  `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 1e9)} GB, Node.js ${process.version}, ${new Date().toISOString().slice(0, 10)}`,
);
if (isTrial) console.log('A trial run: the figures do not count.');
const figures: Figure[] = [];
try {
  if (Object.keys(onOneStage).some(wanted))
    await onStage(async (stage) => {
      for (const [name, measure] of Object.entries(onOneStage))
        if (wanted(name)) figures.push(...(await measure(stage)));
    });
  for (const [name, measure] of Object.entries(alone)) if (wanted(name)) figures.push(...(await measure()));
} finally {
  printFigures(figures);
}
