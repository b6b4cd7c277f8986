/** Tests a mail server outage while processes are killed: no mail is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../report/figure.ts';
import { createFailureFigure, type Site } from './site.ts';
import { compare, mailTimeoutMs, startWriters } from './writers.ts';

/**
 * Creates `mails` invitations during an outage of `awaySeconds`. Kills two processes alternately, `kills` times during the outage
 * and again while the mails are sent.
 */
export async function killDuringMailOutage(
  site: Site,
  { kills, mails, awaySeconds }: { kills: number; mails: number; awaySeconds: number },
): Promise<Figure[]> {
  const servers = [await site.start(0), await site.start(1)];
  const killDuring = async (ms: number) => {
    const overAt = performance.now() + ms;
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(Math.max(0, (overAt - performance.now()) / (kills - kill)));
      const which = (kill % 2) as 0 | 1;
      await servers[which]?.kill();
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
    `mail server away for ${awaySeconds} s and processes killed ${2 * kills} times`,
    'away',
    load,
    // The retry delay has doubled during the outage.
    mailTimeoutMs + 2 * awaySeconds * 1_000,
  );
  await Promise.all(servers.map((server) => server.stop()));
  return [
    ...found,
    createFailureFigure('… invitations not confirmed', mails - load.confirmed.size),
    createFailureFigure('… mails that arrived while it was away', arrivedMeanwhile),
  ];
}
