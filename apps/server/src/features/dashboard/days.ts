/** Days as people live them: when each begins depends on the time zone, and not every day has 24 hours. */

const dayMilliseconds = 24 * 3_600_000;

/**
 * The first moments of spans of so many days, oldest first: `days` in all, the last one ending with the day of `now`.
 * One more moment at the end is the first that is no longer part of them. `timeZone` is a name that Intl knows.
 */
export function spansOfDays(
  now: number,
  { days, daysPerSpan, timeZone }: { days: number; daysPerSpan: number; timeZone: string },
): Date[] {
  const clock = wallClock(timeZone);
  const today = Math.floor(clock(now) / dayMilliseconds) * dayMilliseconds;
  return Array.from(
    { length: days / daysPerSpan + 1 },
    (_, index) => new Date(startOfDay(today + (1 - days + index * daysPerSpan) * dayMilliseconds, clock)),
  );
}

/** What the clock on the wall shows at a moment, as if it were UTC; milliseconds. */
type WallClock = (moment: number) => number;

function wallClock(timeZone: string): WallClock {
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
    const shown = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
    return Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second);
  };
}

/**
 * The first moment at which the wall shows that day. Clocks that are put forward at midnight never show 0:00, so the
 * offsets of the day before and of the day after are both tried.
 */
function startOfDay(midnight: number, clock: WallClock): number {
  const moments = [midnight - dayMilliseconds, midnight + dayMilliseconds].map(
    (nearby) => midnight - (clock(nearby) - nearby),
  );
  const inDay = moments.filter((moment) => clock(moment) >= midnight);
  return Math.min(...inDay);
}
