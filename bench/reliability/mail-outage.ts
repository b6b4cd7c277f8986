/** Tests a mail server outage while processes are killed: no mail is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../harness/site.ts';
import { options } from '../options.ts';
import { failures, type Figure } from '../report.ts';
import { compare, mailTimeoutMs, startWriters } from './writers.ts';

const mails = 1_000;

/**
 * Creates invitations during an outage of `--away` seconds. Kills two processes alternately, `kills` times during the outage and again
 * while the mails are sent.
 */
export async function killDuringMailOutage(site: Site, kills: number): Promise<Figure[]> {
  const { awaySeconds } = options;
  const servers = [await site.start(0), await site.start(1)];
  const killDuring = async (ms: number) => {
    const overAt = performance.now() + ms;
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(Math.max(0, (overAt - performance.now()) / (kills - kill)));
      const which = (kill % 2) as 0 | 1;
      await servers[which]?.stop('SIGKILL');
      servers[which] = await site.start(which);
    }
  };
  await site.mails.goOffline();
  const load = startWriters(site, 'away', mails);
  await killDuring(awaySeconds * 1_000);
  await load.all;
  const arrivedMeanwhile = [...load.confirmed].filter((email) => site.mails.mailsTo(email) > 0).length;
  await site.mails.goOnline();
  await killDuring(awaySeconds * 1_000);
  const found = await compare(
    site,
    `mail server down for ${awaySeconds} s and processes killed ${2 * kills} times`,
    'away',
    load,
    // The delay between attempts to send a mail doubles each time, so the next attempt can be long after the outage.
    mailTimeoutMs + 2 * awaySeconds * 1_000,
  );
  await Promise.all(servers.map((server) => server.stop()));
  return [
    ...found,
    failures('… invitations not confirmed', mails - load.confirmed.size),
    failures('… mails that arrived while it was down', arrivedMeanwhile),
  ];
}
