/** Relative times such as "2 hours ago". One timer updates all elements of the page. */
import { formatMoment } from '../../language/moment.ts';
import { relativeMoment } from '../../language/relative.ts';
import './moment.css';

/** Remaining times, in milliseconds, below which the color of a deadline changes. */
const soonMs = 3 * 86_400_000;
const lastMs = 86_400_000;
const updateIntervalMs = 30_000;

let updateTimer: ReturnType<typeof setInterval> | undefined;

/** Relative time of an ISO 8601 time. `ends`: the time is a deadline that a user may want to extend. */
export function Moment({ at, ends = false }: { at: string; ends?: boolean | undefined }) {
  const now = describeNow(at);
  return (
    <time
      className="moment"
      dateTime={at}
      title={formatMoment(at)}
      data-ends={ends ? now.nearness : undefined}
      ref={startUpdates}
    >
      {now.text}
    </time>
  );
}

function describeNow(at: string) {
  const [moment, now] = [Date.parse(at), Date.now()];
  return { text: relativeMoment(moment, now), nearness: nearness(moment - now) };
}

function startUpdates(): void {
  updateTimer ??= setInterval(updateTimes, updateIntervalMs);
}

function updateTimes(): void {
  const times = document.querySelectorAll<HTMLTimeElement>('time.moment');
  for (const time of times) {
    const now = describeNow(time.dateTime);
    if (time.textContent !== now.text) time.textContent = now.text;
    if (time.dataset['ends'] !== undefined) time.dataset['ends'] = now.nearness;
  }
  if (times.length > 0) return;
  clearInterval(updateTimer);
  updateTimer = undefined;
}

/** Returns the keyword for the stylesheet. */
export function nearness(remainingMs: number): '' | 'soon' | 'last' {
  if (remainingMs <= lastMs) return 'last';
  return remainingMs <= soonMs ? 'soon' : '';
}
