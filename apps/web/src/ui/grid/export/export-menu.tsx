import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconDownload } from '@tabler/icons-react';
import { use, useSyncExternalStore } from 'react';
import { formatNumber, nounInSentence } from '../../../language/formats.ts';
import { Button } from '../../button.tsx';
import { Menu } from '../../menu/menu.tsx';
import { exportColumns } from '../columns/grid-layout.ts';
import type { GridColumns } from '../columns/use-grid-columns.ts';
import type { GridRow } from '../rows/grid-pages.ts';
import { GridServerContext, type GridExport } from '../rows/grid-server.ts';
import type { FilterControls } from '../rows/use-grid-filters.ts';
import type { RowSelection } from '../selection/grid-selection.ts';
import { exportTexts } from './export-texts.ts';
import { runExport } from './run-export.ts';

/** Menu that exports the selected rows or all matching rows. */
export function ExportMenu<Row extends GridRow>({
  label,
  path,
  columns,
  controls,
  selection,
  total = 0,
}: {
  /** Name of the list; also the file name. */
  label: string;
  /** Path of the export route. Without a path there is no menu. */
  path: string | undefined;
  columns: GridColumns<Row>;
  controls: FilterControls;
  selection: RowSelection<Row>;
  /** Number of matching rows. */
  total: number | undefined;
}) {
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const server = use(GridServerContext);
  if (!server || !path) return null;
  const things = nounInSentence(label);

  const startExport = (format: GridExport['format'], selectedOnly: boolean) => {
    const { selection: selected } = selection.selected();
    const exported = exportColumns(columns.placed);
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
    void runExport(server, request, { label, total: selectedOnly ? count : total });
  };

  const formats = [
    { format: 'csv', name: t`CSV` },
    { format: 'xlsx', name: t`Excel (XLSX)` },
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
        <span className="grid-tool-text one-line">
          <Trans>Export</Trans>
        </span>
      </Button>
    </Menu>
  );
}
