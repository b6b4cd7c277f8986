import type { GridColumn } from '../columns/grid-column.ts';
import type { GridExport } from '../rows/grid-server.ts';

/** Maximum length of a sheet name (ECMA-376). */
const sheetNameMaximum = 31;

/** Returns the titles and values of an exported file in the user's language. */
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
