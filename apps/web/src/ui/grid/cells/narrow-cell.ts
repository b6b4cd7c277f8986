import { cellText, type GridColumn } from '../columns/grid-column.ts';
import { makeElement } from '../../make-element.ts';
import { addressElement } from '../../person/person-element.ts';
import { badgeElement, detailNodes } from './draw-cell.ts';
import { markElement } from './mark-element.ts';

export function titleColumn<Row>(columns: readonly GridColumn<Row>[]): GridColumn<Row> {
  const title = columns.find(({ narrow }) => narrow === 'title') ?? columns[0];
  if (!title) throw new Error('A grid needs at least one column.');
  return title;
}

export function hasAddressLine<Row>(columns: readonly GridColumn<Row>[]): boolean {
  return titleColumn(columns).kind === 'person' || columns.some(({ narrow }) => narrow === 'subtitle');
}

export function drawNarrow<Row>(columns: readonly GridColumn<Row>[]): (row: Row) => Node {
  const title = titleColumn(columns);
  const subtitle = columns.find(({ narrow }) => narrow === 'subtitle');
  const details = columns.filter((column) => column !== title && column.narrow === 'detail');
  const badges = columns.filter((column) => column.kind === 'badge' && column.narrow !== 'hidden');
  return (row) => {
    const cell = makeElement('span', 'grid-narrow', ...titleLines(title, row));
    const subtitleContent = subtitle && addressOrText(subtitle, row);
    if (subtitleContent) cell.append(makeElement('span', 'grid-narrow-address', subtitleContent));
    const detailsElement = makeElement('span', 'grid-narrow-details');
    for (const column of details) {
      const nodes = column.kind === 'badge' ? [] : detailNodes(column, row);
      if (nodes.length > 0)
        detailsElement.append(...(detailsElement.hasChildNodes() ? [' · '] : []), ...nodes);
    }
    const badgesElement = makeElement('span', 'grid-narrow-badges');
    for (const column of badges) {
      if (column.kind !== 'badge' || column.narrowIf?.(row) === false) continue;
      const badge = badgeElement(column.badge(row));
      if (badge) badgesElement.append(badge);
    }
    cell.append(makeElement('span', 'grid-narrow-small', badgesElement, detailsElement));
    return cell;
  };
}

function titleLines<Row>(title: GridColumn<Row>, row: Row): HTMLElement[] {
  const person = title.kind === 'person' ? title.person(row) : null;
  if (!person) {
    const narrowText = title.kind === 'text' ? title.narrowText : undefined;
    return [
      ...titleMark(title, row),
      makeElement('span', 'grid-narrow-title', narrowText?.(row) ?? cellText(title, row)),
    ];
  }
  const { name, email } = person;
  if (!name) return [makeElement('span', 'grid-narrow-title', addressElement(email, 2))];
  const lines = [makeElement('span', 'grid-narrow-title grid-narrow-name', name)];
  if (email && email !== name)
    lines.push(makeElement('span', 'grid-narrow-address', addressElement(email, 2)));
  return lines;
}

function titleMark<Row>(title: GridColumn<Row>, row: Row): HTMLElement[] {
  if (title.kind !== 'text' || !title.icon) return [];
  return [markElement(title.icon(row), title.picture?.(row) ?? null)];
}

function addressOrText<Row>(column: GridColumn<Row>, row: Row): Node | string {
  const person = column.kind === 'person' ? column.person(row) : null;
  return person?.email ? addressElement(person.email, 2) : cellText(column, row);
}
