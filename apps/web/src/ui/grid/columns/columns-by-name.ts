import type { GridColumn } from './grid-column.ts';

type WithoutId<Column> = Column extends { id: string } ? Omit<Column, 'id'> : never;

/** Builds columns keyed by the server's column names, in display order. Missing and unknown names do not compile. */
export function columnsByName<Row, Name extends string>(
  columns: Record<Name, WithoutId<GridColumn<Row>>>,
): GridColumn<Row>[] {
  return Object.entries<WithoutId<GridColumn<Row>>>(columns).map(([id, column]) => ({ ...column, id }));
}
