/** Filters in words, as the bar above a grid shows them. */
import { plural, t } from '@lingui/core/macro';
import { formatDay, formatNumber } from '../../../language/formats.ts';
import { formatMoment } from '../../../language/moment.ts';
import type { GridColumn } from '../grid-column.ts';
import type { GridDays, GridFilter } from '../grid-query.ts';
import { dateOfBound, dayFromToday, isDayText } from './bounds.ts';

type Range = { from?: string | number; to?: string | number };

/** Describes a filter: "Status: Active, Disabled". */
export function filterText({ title, filter: kind }: GridColumn<never>, filter: GridFilter): string {
  switch (filter.is) {
    case 'contains':
      return t`${title}: contains “${filter.text}”`;
    case 'empty':
      return t`${title}: empty`;
    case 'filled':
      return t`${title}: not empty`;
    case 'oneOf': {
      if (filter.values.length === 0) return t`${title}: none`;
      const labels = filter.values.map(
        (value) =>
          (kind?.kind === 'set' && kind.values.find((other) => other.value === value)?.label) || value,
      );
      const more = labels.length > 3 ? ` ${t`and ${formatNumber(labels.length - 2)} more`}` : '';
      return `${title}: ${labels.slice(0, more ? 2 : 3).join(', ')}${more}`;
    }
    case 'days':
      return `${title}: ${formatDays(filter)}`;
    case 'between': {
      const { from, to } = formatBounds(filter);
      if (from && to) return `${title}: ${from === to ? from : `${from} – ${to}`}`;
      return from ? t`${title}: from ${from}` : t`${title}: up to ${to}`;
    }
  }
}

/** Describes relative days: "Next 7 days". */
export function formatDays({ from, to }: GridDays): string {
  if (from === 0 && to === 0) return t`Today`;
  if (from === 0 && to !== undefined) return t`Next ${plural(to, { one: '# day', other: '# days' })}`;
  if (to === 0 && from !== undefined) return t`Last ${plural(1 - from, { one: '# day', other: '# days' })}`;
  return `${formatRelativeDay(from)} – ${formatRelativeDay(to)}`;
}

const formatRelativeDay = (shift: number | undefined) =>
  shift === undefined ? '…' : formatDay(dayFromToday(shift));

/** Formats both bounds. For whole days, `to` is shown as the last day; other times include the time of day. */
function formatBounds(range: Range): { from: string; to: string } {
  const format = (bound: string | number | undefined, shift: 0 | -1) => {
    if (bound === undefined) return '';
    if (typeof bound === 'number') return formatNumber(bound + shift);
    return isWholeDays(range) ? formatDay(dateOfBound(bound, shift)) : formatMoment(bound);
  };
  return { from: format(range.from, 0), to: format(range.to, -1) };
}

/** Returns whether each bound is a day or local midnight. */
const isWholeDays = ({ from, to }: Range): boolean =>
  [from, to].every((bound) => {
    if (typeof bound !== 'string' || isDayText(bound)) return true;
    const date = new Date(bound);
    return date.getTime() === new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  });
