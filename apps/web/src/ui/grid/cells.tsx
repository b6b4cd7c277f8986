/** Cells of a grid. A row that is still loading renders nothing. */
import { t } from '@lingui/core/macro';
import type { ICellRendererParams } from 'ag-grid-community';
import { Fragment, useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { Badge } from '../marks/badge.tsx';
import { Person, ShortAddress } from '../person/person.tsx';
import { Moment } from '../time/moment.tsx';
import { useGridParts } from './grid-header.tsx';
import { cellText, titleColumn, type CellBadge, type CellThumbnail, type GridColumn } from './grid-column.ts';

export function ColumnCell<Row>({
  data,
  node,
  content,
}: ICellRendererParams<Row> & { content: GridColumn<Row> }) {
  return data !== undefined && <CellContent key={node.id} column={content} row={data} />;
}

function CellContent<Row>({ column, row }: { column: GridColumn<Row>; row: Row }): ReactNode {
  switch (column.kind) {
    case 'badge':
      return <OptionalBadge badge={column.badge(row)} />;
    case 'person': {
      const person = column.person(row);
      return person ? <Person person={person} /> : column.text(row);
    }
    case 'date-time': {
      const time = column.time(row);
      return time === null ? column.none : <Moment at={time} ends={column.ends?.(row)} />;
    }
    default:
      return (
        <>
          <RowMark column={column} row={row} />
          {cellText(column, row)}
        </>
      );
  }
}

function OptionalBadge({ badge }: { badge: CellBadge | null }) {
  return (
    badge && (
      <Badge tone={badge.tone} hint={badge.hint}>
        {badge.label}
      </Badge>
    )
  );
}

/** Icon before the text of a cell, replaced by a thumbnail once that is loaded. */
function RowMark<Row>({ column, row }: { column: GridColumn<Row>; row: Row }) {
  return (
    column.kind === 'text' &&
    column.icon && <Mark icon={column.icon(row)} thumbnail={column.picture?.(row) ?? null} />
  );
}

function Mark({ icon, thumbnail }: { icon: string; thumbnail: CellThumbnail | null }) {
  const [url, setUrl] = useState(thumbnail?.cachedUrl ?? null);
  const load = useEffectEvent((signal: AbortSignal) => thumbnail?.load(signal));
  const isMissing = thumbnail !== null && url === null;
  useEffect(() => {
    const controller = new AbortController();
    if (isMissing)
      void load(controller.signal)?.then((loaded) => controller.signal.aborted || setUrl(loaded));
    return () => controller.abort();
  }, [isMissing]);
  return (
    <span className="grid-mark">
      {url === null ? (
        <svg className="grid-icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d={icon} />
        </svg>
      ) : (
        <img alt="" src={url} />
      )}
    </span>
  );
}

/** A whole row in one cell, for narrow screens. */
export function NarrowCell<Row>({
  data,
  node,
  columns,
}: ICellRendererParams<Row> & { columns: readonly GridColumn<Row>[] }) {
  return data !== undefined && <NarrowRow key={node.id} columns={columns} row={data} />;
}

function NarrowRow<Row>({ columns, row }: { columns: readonly GridColumn<Row>[]; row: Row }) {
  const title = titleColumn(columns);
  const second = columns.find(({ narrow }) => narrow === 'subtitle');
  const subtitle = second && (addressOf(second, row) ?? cellText(second, row));
  const details = columns.flatMap((column) => {
    if (column === title || column.narrow !== 'detail' || column.kind === 'badge') return [];
    const detail = detailOf(column, row);
    return detail ? [<Fragment key={column.id}>{detail}</Fragment>] : [];
  });
  return (
    <span className="grid-narrow">
      <RowMark column={title} row={row} />
      <NarrowTitle title={title} row={row} />
      {subtitle && <span className="grid-narrow-address">{subtitle}</span>}
      <span className="grid-narrow-small">
        <span className="grid-narrow-badges">
          {columns.map(
            (column) =>
              column.kind === 'badge' &&
              column.narrow !== 'hidden' &&
              column.narrowIf?.(row) !== false && <OptionalBadge key={column.id} badge={column.badge(row)} />,
          )}
        </span>
        <span className="grid-narrow-details">
          {details.map((detail, index) => [index > 0 && ' · ', detail])}
        </span>
      </span>
    </span>
  );
}

function NarrowTitle<Row>({ title, row }: { title: GridColumn<Row>; row: Row }) {
  const person = title.kind === 'person' ? title.person(row) : null;
  if (person?.name)
    return (
      <>
        <span className="grid-narrow-title grid-narrow-name" dir="auto">
          {person.name}
        </span>
        {person.email && person.email !== person.name && (
          <span className="grid-narrow-address">{addressOf(title, row)}</span>
        )}
      </>
    );
  const text = (title.kind === 'text' && title.narrowText?.(row)) || cellText(title, row);
  return <span className="grid-narrow-title">{addressOf(title, row) ?? text}</span>;
}

/** Returns the address of a person's cell, or null. */
function addressOf<Row>(column: GridColumn<Row>, row: Row): ReactNode {
  const person = column.kind === 'person' ? column.person(row) : null;
  return person?.email ? <ShortAddress email={person.email} lines={2} /> : null;
}

function detailOf<Row>(column: GridColumn<Row>, row: Row): ReactNode {
  if (column.kind === 'person') return column.person(row)?.name || cellText(column, row);
  if (column.kind !== 'date-time' && column.kind !== 'day') return cellText(column, row);
  return (
    (column.kind === 'day' ? column.day(row) : column.time(row)) !== null && (
      <>
        <span className={column.narrowTitle ? '' : 'visually-hidden'}>
          {typeof column.narrowTitle === 'string' ? column.narrowTitle : column.title}{' '}
        </span>
        <CellContent column={column} row={row} />
      </>
    )
  );
}

/** Button of a row's menu, unless it is empty. GridView and useGridKeys handle clicks and keys. */
export function ActionsCell<Row>({ data }: ICellRendererParams<Row>) {
  const { hasRowActions } = useGridParts();
  return (
    data !== undefined &&
    hasRowActions(data) && (
      <button
        type="button"
        className="icon-button grid-actions"
        tabIndex={-1}
        aria-haspopup="menu"
        aria-label={t`Actions`}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
          <path d="M3 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 1 1 0-2.8zm5 0a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 1 1 0-2.8zm5 0a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 1 1 0-2.8z" />
        </svg>
      </button>
    )
  );
}
