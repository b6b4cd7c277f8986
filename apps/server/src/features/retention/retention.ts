import type { Area } from '../../platform/area.ts';
import { deleteExpiredLimits } from '../../platform/database/rate-limit.ts';
import { every } from '../../platform/timers.ts';
import { purgeExpired, type RetentionPeriods } from './purge-expired.ts';

const archiveIntervalMs = 10 * 60_000;
const limitCleanUpIntervalMs = 60_000;

export function retention(
  deps: Omit<Parameters<typeof purgeExpired>[0], 'retentionPeriods'> & {
    settings: { current(): Promise<RetentionPeriods> };
  },
): Area {
  return {
    routes: [],
    timers: [
      every(archiveIntervalMs, 'archiving expired data', (stopped) =>
        purgeExpired({ ...deps, retentionPeriods: () => deps.settings.current(), stopped }),
      ),
      every(limitCleanUpIntervalMs, 'deleting expired rate limits', () => deleteExpiredLimits(deps)),
    ],
  };
}
