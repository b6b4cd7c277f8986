import { t } from '@lingui/core/macro';
import { IconDownload } from '@tabler/icons-react';
import { use, useSyncExternalStore } from 'react';
import { formatNumber, nounInSentence } from '../../language/formats.ts';
import { Button } from '../button.tsx';
import { Menu } from '../menu/menu.tsx';
import { exportColumns, type GridColumns } from './grid-layout.ts';
import type { GridRow } from './grid-pages.ts';
import { GridServerContext, type GridExport, type GridServer } from './grid-server.ts';
import type { FilterControls } from './grid-state.ts';
import type { RowSelection } from './grid-selection.ts';
import type { GridColumn } from './grid-column.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { saveFile } from '../save-file.ts';
import { toast } from '../toast/toast.tsx';

/** Menu that exports the selected rows or all matching rows. */
export function ExportMenu<Row extends GridRow>({
  label,
  path,
  columns,
  controls,
  selection,
}: {
  /** Name of the list; also the file name. */
  label: string;
  /** Path of the export route. Without a path there is no menu. */
  path: string | undefined;
  columns: GridColumns<Row>;
  controls: FilterControls;
  selection: RowSelection<Row>;
}) {
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const server = use(GridServerContext);
  if (!server || !path) return null;
  const things = nounInSentence(label);

  const startExport = (format: GridExport['format'], selectedOnly: boolean) => {
    const { selection: selected } = selection.selected();
    const exported = exportColumns(columns.placed).filter((column) => column.exported !== false);
    const request: GridExport = {
      path,
      format,
      columns: exported.map(({ id }) => id),
      texts: exportTexts(label, exported),
      ...(controls.order && { sort: controls.order }),
      // Individually selected rows are exported even if they do not match the current filters.
      ...(selectedOnly && 'ids' in selected ? { ids: selected.ids } : controls.applied),
      ...(selectedOnly && 'all' in selected && selected.all.except && { except: selected.all.except }),
    };
    void runExport(server, request, label);
  };

  const formats = [
    { format: 'xlsx', name: t`Excel (XLSX)` },
    { format: 'csv', name: t`CSV (comma-separated)` },
  ] as const;
  const formatItems = (prefix: string, selectedOnly: boolean) =>
    formats.map(({ format, name }) => ({
      label: `${prefix}${name}`,
      onSelect: () => startExport(format, selectedOnly),
    }));
  const items =
    count > 0 && (!all || except > 0)
      ? [
          ...formatItems(`${t`${formatNumber(count)} selected:`} `, true),
          ...formatItems(`${t`All matching:`} `, false),
        ]
      : formatItems('', false);
  return (
    <Menu items={items}>
      <Button variant="quiet" className="grid-tool" aria-label={t`Export ${things}`}>
        <IconDownload size={18} stroke={1.75} aria-hidden="true" />
        <span className="grid-tool-text one-line">{t`Export`}</span>
      </Button>
    </Menu>
  );
}

/** Maximum length of a sheet name (ECMA-376). */
const sheetNameMaximum = 31;

/** Returns the titles and values of an exported file in the user's language. */
function exportTexts(
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

/** Fetches and saves the file. Shows a cancel button, the result or an error as toasts. */
async function runExport(server: GridServer, request: GridExport, label: string): Promise<void> {
  const fileName = `${label.toLowerCase().replaceAll(/\s+/g, '-')}.${request.format}`;
  const controller = new AbortController();
  const id = toast.progress(t`Preparing ${fileName}…`, {
    action: { label: t`Cancel`, onClick: () => controller.abort() },
  });
  try {
    const response = await server.openExport(request, controller.signal);
    // Browsers keep large blobs on disk.
    saveFile(await response.blob(), fileName);
    toast.success(t`${fileName} saved.`);
  } catch (error) {
    const { message, ...rest } = describeFailure(error);
    if (controller.signal.aborted) toast.success(t`Export cancelled.`);
    else toast.failure({ message: t`${fileName} could not be exported. ${message}`, ...rest });
  } finally {
    toast.close(id);
  }
}
