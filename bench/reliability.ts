/**
 * Kills, races, broken networks and restarts under load, with ledgers outside of the server:
 * `node bench/reliability.ts [part …] [--kills N] [--plant bug]`. Nothing is repeated to make it pass; a figure is how often
 * something went wrong, and the limit is 0. With a planted bug it is the other way round: it has to be reported.
 */
import { parseArgs } from 'node:util';
import { root } from './stage/child.ts';
import { formatFigures, passes, printFigures, type Figure } from './report/figure.ts';
import { faults } from './reliability/faults.ts';
import { killPostgres, killServer, terminate } from './reliability/kills.ts';
import { plant } from './reliability/planted-bugs.ts';
import { race, redeem } from './reliability/races.ts';
import { onSite, type Part } from './reliability/site.ts';
import { timing } from './reliability/timing.ts';
import { uploads } from './reliability/uploads.ts';

const parts: Record<string, Part> = {
  killServer,
  killPostgres,
  race,
  redeem,
  uploads,
  faults,
  terminate,
  timing,
};

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '20' }, plant: { type: 'string' } },
});
const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(
    `There is no part called ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`,
  );
  process.exit(1);
}

/** The named parts, one after the other on a site of their own; figures of a part that fails are told too. */
async function run(project: string, names: string[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  await onSite(project, async (site) => {
    for (const name of names) figures.push(...(await (parts[name] as Part)(site, Number(given.kills))));
  }).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
  return figures;
}

if (given.plant === undefined) {
  printFigures(await run(root, positionals.length > 0 ? positionals : Object.keys(parts)));
} else {
  const { bug, copy, remove } = await plant(given.plant);
  const figures = await run(copy, [bug.part]);
  await remove();
  console.log(formatFigures(figures));
  const isReported = figures.some((figure) => bug.reportedAs.test(figure.name) && passes(figure) === false);
  console.log(`\n"${bug.what}" ${isReported ? 'was reported.' : 'was NOT reported.'}`);
  if (!isReported) process.exitCode = 1;
}
