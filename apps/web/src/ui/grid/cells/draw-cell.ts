import { makeElement } from '../../make-element.ts';
import { personElement } from '../../person/person-element.ts';
import { timeElement } from '../../time/time-element.ts';
import { markElement } from './mark-element.ts';
import { cellText, type GridColumn } from '../columns/grid-column.ts';

/** Returns the function that draws a column's cells, or null for plain text, which AG Grid renders. */
export function cellDrawerFor<Row>(column: GridColumn<Row>): ((row: Row) => Node | null) | null {
  switch (column.kind) {
    case 'text': {
      const { icon, picture } = column;
      return icon
        ? (row) =>
            makeElement(
              'span',
              'grid-icon-text',
              markElement(icon(row), picture?.(row) ?? null),
              column.text(row),
            )
        : null;
    }
    case 'badge':
      return (row) => badgeElement(column.badge(row));
    case 'person':
      return (row) => {
        const person = column.person(row);
        return person ? personElement(person) : document.createTextNode(column.text(row));
      };
    case 'date-time':
      return (row) => {
        const time = column.time(row);
        return time === null
          ? document.createTextNode(column.none ?? '')
          : timeElement(time, column.ends?.(row));
      };
    default:
      return null;
  }
}

/** Non-React version of `Badge`. */
export function badgeElement(
  badge: { label: string; tone: string; hint?: string } | null,
): HTMLElement | null {
  if (!badge) return null;
  const element = makeElement('span', `badge badge-${badge.tone}`, badge.label);
  if (badge.hint) element.title = badge.hint;
  return element;
}

/** Draws a column for the details line of a row on a narrow screen. */
export function detailNodes<Row>(column: GridColumn<Row>, row: Row): Node[] {
  if (column.kind === 'person') return textNodes(column.person(row)?.name || cellText(column, row));
  if (column.kind !== 'date-time') return textNodes(cellText(column, row));
  const time = column.time(row);
  return time === null
    ? []
    : [
        makeElement('span', column.narrowTitle ? '' : 'visually-hidden', `${column.title} `),
        timeElement(time, column.ends?.(row)),
      ];
}

function textNodes(text: string): Node[] {
  return text ? [document.createTextNode(text)] : [];
}
