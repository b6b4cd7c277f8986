/**
 * Tests reliability under kills, races, network faults and restarts, with records kept outside of the server: `node bench/reliability.ts
 * [part …] [--kills N] [--mails N] [--away SECONDS] [--requests N] [--plant bug] [--write]`. Figures count failures; the limit is 0. With
 * `--plant`, the run succeeds only if the bug is reported. `--write` updates docs/benchmarks.md. Nothing is retried.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { root } from './harness/child-process.ts';
import { benchmarksPagePath, describeMachine, replaceFigures } from './report/benchmarks-page.ts';
import { formatFigures, isWithinLimit, printFigures, type Figure } from './report/figure.ts';
import { injectNetworkFaults } from './reliability/network-faults.ts';
import { sendGeneratedRequests } from './reliability/generated-requests.ts';
import { runBursts } from './reliability/bursts.ts';
import { killPostgres, killServer, stopUnderLoad } from './reliability/kills.ts';
import { killDuringMailOutage } from './reliability/mail-outage.ts';
import { plant } from './reliability/planted-bugs.ts';
import { raceInvitations, raceRedemptions } from './reliability/races.ts';
import { withSite, type Part } from './reliability/site.ts';
import { compareAnswerTimes } from './reliability/timing-side-channel.ts';
import { uploadUnderKills } from './reliability/uploads.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '20' },
    mails: { type: 'string', default: '1000' },
    away: { type: 'string', default: '60' },
    requests: { type: 'string', default: '5000' },
    plant: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const parts: Record<string, Part> = {
  killServer,
  killPostgres,
  race: raceInvitations,
  redeem: raceRedemptions,
  bursts: runBursts,
  uploads: uploadUnderKills,
  faults: injectNetworkFaults,
  terminate: stopUnderLoad,
  timing: compareAnswerTimes,
  mailDown: (site, kills) =>
    killDuringMailOutage(site, { kills, mails: Number(given.mails), awaySeconds: Number(given.away) }),
  generated: (site) => sendGeneratedRequests(site, Number(given.requests)),
};

const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(
    `There is no part called ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`,
  );
  process.exit(1);
}

async function run(
  project: string,
  names: string[],
  report: (name: string, figures: Figure[]) => Promise<void>,
): Promise<void> {
  await withSite(project, async (site) => {
    for (const name of names) await report(name, await (parts[name] as Part)(site, Number(given.kills)));
  }).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}

async function write(name: string, figures: Figure[]): Promise<void> {
  if (!given.write) return;
  const page = await readFile(benchmarksPagePath, 'utf8');
  await writeFile(benchmarksPagePath, replaceFigures(page, name, figures, describeMachine()));
}

if (given.plant === undefined) {
  await run(root, positionals.length > 0 ? positionals : Object.keys(parts), async (name, figures) => {
    printFigures(figures);
    await write(name, figures);
  });
} else {
  const { bug, copy, remove } = await plant(given.plant);
  const figures: Figure[] = [];
  await run(copy, [bug.part], async (_name, found) => void figures.push(...found));
  await remove();
  console.log(formatFigures(figures));
  const found = figures.find(({ name }) => bug.reportedAs.test(name));
  const isReported = found !== undefined && isWithinLimit(found) === false;
  console.log(`\n"${bug.what}" ${isReported ? 'was reported.' : 'was NOT reported.'}`);
  if (!isReported) process.exitCode = 1;
  const name = `"${bug.what}" is planted: part ${bug.part}, ${found?.name}`;
  if (found) await write(given.plant, [{ ...found, name, limit: { at: 'least', value: 1 } }]);
}
