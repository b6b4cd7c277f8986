import type { GridColumn } from '../columns/grid-column.ts';
import type { GridExport } from '../rows/grid-server.ts';

/** Longest name of a sheet in a workbook (ECMA-376). */
const sheetNameMaximum = 31;

/** The titles and values of an exported file as the grid shows them, in the language of the site. */
export function exportTexts(
  label: string,
  columns: readonly Pick<GridColumn<never>, 'id' | 'title' | 'filter'>[],
): NonNullable<GridExport['texts']> {
  const isSheetName = label.length <= sheetNameMaximum && !/[[\]:*?/\\']/.test(label);
  return {
    ...(isSheetName && { sheet: label }),
    columns: Object.fromEntries(columns.map(({ id, title }) => [id, title])),
    values: Object.fromEntries(
      columns.flatMap(({ id, filter }) =>
        filter?.kind === 'set'
          ? [[id, Object.fromEntries(filter.values.map(({ value, label: text }) => [value, text]))]]
          : [],
      ),
    ),
  };
}
