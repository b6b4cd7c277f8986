import type { GridColumn } from './grid-column.ts';

/** A column whose id is its name in the list. */
type Named<Column> = Column extends { id: string } ? Omit<Column, 'id'> : never;

/**
 * Columns by the names that the server sorts and filters by, in the order in which they are shown. A name without a column does
 * not compile, nor does a column that the server does not know.
 */
export function columnsByName<Row, Name extends string>(
  columns: Record<Name, Named<GridColumn<Row>>>,
): GridColumn<Row>[] {
  return Object.entries<Named<GridColumn<Row>>>(columns).map(([id, column]) => ({ ...column, id }));
}
