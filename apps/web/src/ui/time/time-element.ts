/** Relative times such as "2 hours ago". One timer updates all elements of the page. */
import { formatMoment } from '../../language/formats.ts';
import { relativeMoment } from '../../language/relative.ts';
import './time-element.css';

/** Remaining times, in milliseconds, below which the color of a deadline changes. */
const soonMs = 3 * 86_400_000;
const lastMs = 86_400_000;
const updateIntervalMs = 30_000;

let updateTimer: ReturnType<typeof setInterval> | undefined;

/** Creates a relative time of an ISO 8601 time. `ends`: the time is a deadline that a user may want to extend. */
export function timeElement(moment: string, ends = false): HTMLTimeElement {
  const time = document.createElement('time');
  time.className = 'moment';
  time.dateTime = moment;
  time.title = formatMoment(moment);
  if (ends) time.dataset['ends'] = '';
  render(time, Date.now());
  startUpdates();
  return time;
}

export function relativeNow(moment: string): string {
  return relativeMoment(Date.parse(moment), Date.now());
}

/** Returns `nearness` for the current time. `moment` is a deadline in ISO 8601. */
export function nearnessNow(moment: string): string {
  return nearness(Date.parse(moment) - Date.now());
}

/** Starts the timer for `time.moment` elements created elsewhere. */
export function startUpdates(): void {
  updateTimer ??= setInterval(updateTimes, updateIntervalMs);
}

function render(time: HTMLTimeElement, now: number): void {
  const moment = Date.parse(time.dateTime);
  const text = relativeMoment(moment, now);
  if (time.textContent !== text) time.textContent = text;
  if (time.dataset['ends'] !== undefined) time.dataset['ends'] = nearness(moment - now);
}

/** Returns the keyword for the stylesheet. */
export function nearness(remainingMs: number): '' | 'soon' | 'last' {
  if (remainingMs <= lastMs) return 'last';
  return remainingMs <= soonMs ? 'soon' : '';
}

function updateTimes(): void {
  const times = document.querySelectorAll<HTMLTimeElement>('time.moment');
  for (const time of times) render(time, Date.now());
  if (times.length > 0) return;
  clearInterval(updateTimer);
  updateTimer = undefined;
}
