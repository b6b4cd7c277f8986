/** Relative times. */
import { regionalLocale } from './moment.ts';

const units = [
  { unit: 'year', seconds: 365 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

let cachedFormats: { language: string; numbered: Intl.RelativeTimeFormat; now: string } | undefined;

function relativeFormats(language: string) {
  if (cachedFormats?.language !== language)
    cachedFormats = {
      language,
      // Always a number: "yesterday" could be a minute or two days ago.
      numbered: new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
      now: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second'),
    };
  return cachedFormats;
}

/** Part of a unit by which a deadline is rounded up: "7 days" remain 7 days for an hour after they were chosen. */
const tolerance = 0.05;

/** Formats a time relative to `now`, in milliseconds since 1970. Units are rounded down, so that deadlines are not overstated. */
export function relativeMoment(moment: number, now: number): string {
  const { numbered, now: nowText } = relativeFormats(regionalLocale());
  const seconds = (moment - now) / 1_000;
  const step = units.find((unit) => Math.abs(seconds) >= unit.seconds);
  return step
    ? numbered.format(Math.trunc(seconds / step.seconds + (seconds > 0 ? tolerance : 0)), step.unit)
    : nowText;
}
