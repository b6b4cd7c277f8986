/** A mail server that is away for a while, and processes killed before and after it is back: no mail is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../report/figure.ts';
import { wrongs, type Site } from './site.ts';
import { compare, mailsWithinMs, startWriters } from './writers.ts';

/** `mails` are caused while it is away for so many seconds; one of two processes, each in turn, is killed so often then, and again while they go out. */
export async function mailDown(
  site: Site,
  { kills, mails, awaySeconds }: { kills: number; mails: number; awaySeconds: number },
): Promise<Figure[]> {
  const servers = [await site.start(0), await site.start(1)];
  const killWithin = async (ms: number) => {
    const overAt = performance.now() + ms;
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(Math.max(0, (overAt - performance.now()) / (kills - kill)));
      const which = (kill % 2) as 0 | 1;
      await servers[which]?.kill();
      servers[which] = await site.start(which);
    }
  };
  await site.mails.leave();
  const load = startWriters(site, 'away', mails);
  await killWithin(awaySeconds * 1_000);
  await load.all;
  const arrivedMeanwhile = [...load.confirmed].filter((email) => site.mails.mailsTo(email) > 0).length;
  await site.mails.comeBack();
  await killWithin(awaySeconds * 1_000);
  const found = await compare(
    site,
    `mail server away for ${awaySeconds} s and processes killed ${2 * kills} times`,
    'away',
    load,
    // Whoever has tried in vain all the time waits twice as long before the next attempt.
    mailsWithinMs + 2 * awaySeconds * 1_000,
  );
  await Promise.all(servers.map((server) => server.stop()));
  return [
    ...found,
    wrongs('… invitations not confirmed', mails - load.confirmed.size),
    wrongs('… mails that arrived while it was away', arrivedMeanwhile),
  ];
}
