/**
 * Moments as people read them: how far away, with the moment itself under the pointer, for screen readers and for programs. One timer
 * keeps all of a page up to date, for as long as there are any.
 */
import { formatMoment } from '../../language/formats.ts';
import { relativeMoment } from '../../language/relative.ts';
import './time-element.css';

/** How long before an end it is coloured. Milliseconds. */
const soon = 3 * 86_400_000;
const last = 86_400_000;
/** Milliseconds. */
const renewEvery = 30_000;

let renewing: ReturnType<typeof setInterval> | undefined;

/** "2 hours ago". `ends`: at this moment something ends that somebody may want to keep from ending. `moment` in ISO 8601. */
export function timeElement(moment: string, ends = false): HTMLTimeElement {
  const time = document.createElement('time');
  time.className = 'moment';
  time.dateTime = moment;
  time.title = formatMoment(moment);
  if (ends) time.dataset['ends'] = '';
  render(time, Date.now());
  keepRenewed();
  return time;
}

/** "2 hours ago", as of now. `moment` in ISO 8601. */
export function relativeNow(moment: string): string {
  return relativeMoment(Date.parse(moment), Date.now());
}

/** How near the end at a moment is now. `moment` in ISO 8601. */
export function nearnessNow(moment: string): string {
  return nearness(Date.parse(moment) - Date.now());
}

/** To be called when there is a `time` of the class `moment` on the page that was made elsewhere. */
export function keepRenewed(): void {
  renewing ??= setInterval(renew, renewEvery);
}

function render(time: HTMLTimeElement, now: number): void {
  const moment = Date.parse(time.dateTime);
  const text = relativeMoment(moment, now);
  if (time.textContent !== text) time.textContent = text;
  if (time.dataset['ends'] !== undefined) time.dataset['ends'] = nearness(moment - now);
}

/** How near an end is, in the words of the stylesheet. */
export function nearness(left: number): '' | 'soon' | 'last' {
  if (left <= last) return 'last';
  return left <= soon ? 'soon' : '';
}

function renew(): void {
  const times = document.querySelectorAll<HTMLTimeElement>('time.moment');
  for (const time of times) render(time, Date.now());
  if (times.length > 0) return;
  clearInterval(renewing);
  renewing = undefined;
}
