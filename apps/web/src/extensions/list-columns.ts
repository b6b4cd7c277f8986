/** Columns of extensions in the lists of the site. */
import { i18n } from '@lingui/core';
import type { GridColumn } from '../ui/grid/grid-column.ts';
import type { FetchPage, GridRow } from '../ui/grid/grid-pages.ts';
import type { ExtensionScreens, ListColumn, ListName } from './define-screens.ts';

/** Returns the texts of a page's rows. The list is shown without the texts of a column that fails. */
async function loadTexts(
  load: ListColumn['load'],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Record<string, string | undefined>> {
  try {
    const texts = await load(ids, signal);
    return Object.fromEntries(ids.map((id) => [id, texts[id]]));
  } catch (error) {
    if (!signal.aborted) console.error(error);
    return {};
  }
}

export function createListColumns(extensions: readonly ExtensionScreens[]) {
  const all = extensions.flatMap(({ name, columns = [] }) =>
    columns.map(({ id, ...column }) => ({ ...column, id: `${name}_${id}` })),
  );
  const columnsOf = (list: ListName) => all.filter((column) => column.list === list);

  return {
    withColumns: <Row>(list: ListName, columns: readonly GridColumn<Row>[]): readonly GridColumn<Row>[] => [
      ...columns,
      ...columnsOf(list).map(({ id, label }): GridColumn<Row> => ({
        id,
        title: i18n._(label),
        kind: 'text',
        text: (row) => (row as Record<string, string | undefined>)[id] ?? '',
        sortable: false,
        exported: false,
        narrow: 'hidden',
      })),
    ],

    withValues:
      <Row extends GridRow>(list: ListName, fetchPage: FetchPage<Row>): FetchPage<Row> =>
      async (request, signal) => {
        const page = await fetchPage(request, signal);
        if (page.rows.length === 0) return page;
        const ids = page.rows.map((row) => String(row.id));
        const loaded = await Promise.all(
          columnsOf(list).map(async ({ id, load }) => ({ id, texts: await loadTexts(load, ids, signal) })),
        );
        const rows = page.rows.map((row) => ({
          ...row,
          ...Object.fromEntries(loaded.map(({ id, texts }) => [id, texts[String(row.id)]])),
        }));
        return { ...page, rows };
      },
  };
}
