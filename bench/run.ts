/** `npm run bench [name …]`: runs all or the named measurements and prints their tables. Options: options.ts. */
import { drainMailQueue, withLoadedSite, withSite } from './harness/site.ts';
import { alone, downloading, load, measurements, reliability } from './measurements.ts';
import { isTrial, options, sectionOf } from './options.ts';
import { describeMachine, printFigures, storeFigures, type Figure } from './report.ts';

const unknown = options.names.filter((name) => !(name in measurements));
if (unknown.length > 0 || (options.write && isTrial)) {
  console.error(
    unknown.length > 0
      ? `There is no measurement called ${unknown.join(', ')}. There are: ${Object.keys(measurements).join(', ')}.`
      : 'Figures of a trial run are not written.',
  );
  process.exit(1);
}
console.log(`${describeMachine()}${isTrial ? '. Trial run: figures are not comparable.' : ''}`);

const select = <Measure>(all: Record<string, Measure>) =>
  Object.entries(all).filter(([name]) => options.names.length === 0 || options.names.includes(name));

async function report(name: string, figures: Figure[]): Promise<void> {
  console.log(`\n${name}`);
  printFigures(figures);
  if (options.write) await storeFigures(sectionOf(name), figures);
}

const onLoaded = select(options.names.length === 0 ? load : { ...downloading, ...load });
const onSite = select(reliability);
if (onLoaded.length > 0)
  await withLoadedSite(async (site) => {
    for (const [name, measure] of onLoaded) {
      await drainMailQueue(site);
      await report(name, await measure(site));
    }
  });
for (const [name, measure] of select(alone)) await report(name, await measure());
if (onSite.length > 0)
  await withSite(async (site) => {
    for (const [name, measure] of onSite) await report(name, await measure(site, options.kills));
  });
