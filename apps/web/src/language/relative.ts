/** How far away a moment is, in words. Apart from formats.ts, which the login screen loads. */
import { region } from './formats.ts';

const units = [
  { unit: 'year', seconds: 365 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

let known: { language: string; numbered: Intl.RelativeTimeFormat; now: string } | undefined;

function formatsOf(language: string) {
  if (known?.language !== language)
    known = {
      language,
      // Numbers: "yesterday" may be a minute ago or two days.
      numbered: new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
      now: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second'),
    };
  return known;
}

/**
 * "2 hours ago", "in 6 days", "vor 2 Stunden"; "now" within a minute. In whole units: nobody is promised more time than there is.
 * Both in milliseconds since 1970.
 */
export function relativeMoment(moment: number, now: number): string {
  const { numbered, now: atOnce } = formatsOf(region());
  const seconds = (moment - now) / 1_000;
  const step = units.find((one) => Math.abs(seconds) >= one.seconds);
  return step ? numbered.format(Math.trunc(seconds / step.seconds), step.unit) : atOnce;
}
