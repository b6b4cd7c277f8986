const dayMs = 24 * 3_600_000;

/** Returns the start of each span, oldest first, up to the day of `now`, and the end of the last one as an additional element. */
export function daySpans(
  now: number,
  { days, daysPerSpan, timeZone }: { days: number; daysPerSpan: number; timeZone: string },
): Date[] {
  const clock = createWallClock(timeZone);
  const today = Math.floor(clock(now) / dayMs) * dayMs;
  return Array.from(
    { length: days / daysPerSpan + 1 },
    (_, index) => new Date(startOfDay(today + (1 - days + index * daysPerSpan) * dayMs, clock)),
  );
}

/** Converts a time to the local time of the zone, as if it were UTC; milliseconds. */
type WallClock = (moment: number) => number;

function createWallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const parts = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  };
}

/** Tries the offsets of the previous and the next day, since clocks may be put forward at midnight. */
function startOfDay(midnight: number, clock: WallClock): number {
  const moments = [midnight - dayMs, midnight + dayMs].map((moment) => midnight - (clock(moment) - moment));
  const withinDay = moments.filter((moment) => clock(moment) >= midnight);
  return Math.min(...withinDay);
}
