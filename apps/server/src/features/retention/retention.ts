/** Retention: archives and deletes expired data periodically. */
import type { Area } from '../../platform/area.ts';
import { deleteExpiredLimits } from '../../platform/database/rate-limit.ts';
import { every } from '../../platform/timers.ts';
import { purgeExpired, type Keeping } from './purge-expired.ts';

const archiveEveryMs = 10 * 60_000;
const forgetEveryMs = 60_000;

export function retention(
  deps: Omit<Parameters<typeof purgeExpired>[0], 'keeping'> & { settings: { current(): Promise<Keeping> } },
): Area {
  return {
    routes: [],
    timers: [
      every(archiveEveryMs, 'archiving expired data', (stopped) =>
        purgeExpired({ ...deps, keeping: () => deps.settings.current(), stopped }),
      ),
      every(forgetEveryMs, 'deleting expired rate limits', () => deleteExpiredLimits(deps)),
    ],
  };
}
