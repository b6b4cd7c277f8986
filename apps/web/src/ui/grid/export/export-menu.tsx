import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconDownload } from '@tabler/icons-react';
import { use, useSyncExternalStore } from 'react';
import { formatNumber, nounInSentence } from '../../../language/formats.ts';
import { Button } from '../../button.tsx';
import { Menu } from '../../menu/menu.tsx';
import { seenColumns } from '../columns/grid-layout.ts';
import type { GridColumns } from '../columns/use-grid-columns.ts';
import type { GridRow } from '../rows/grid-pages.ts';
import { GridServerContext, type GridExport } from '../rows/grid-server.ts';
import type { QuestionState } from '../rows/use-grid-filters.ts';
import type { RowSelection } from '../selection/grid-selection.ts';
import { exportTexts } from './export-texts.ts';
import { runExport } from './run-export.ts';

/** Writes the selected rows, or all that match, to a file. */
export function ExportMenu<Row extends GridRow>({
  label,
  path,
  columns,
  question,
  selection,
  total = 0,
}: {
  /** What the grid lists; also names the file. */
  label: string;
  /** The route that writes the file; none, no menu. */
  path: string | undefined;
  columns: GridColumns<Row>;
  question: QuestionState;
  selection: RowSelection<Row>;
  /** All that match, where that is known. */
  total: number | undefined;
}) {
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const server = use(GridServerContext);
  if (!server || !path) return null;
  const things = nounInSentence(label);

  const write = (format: GridExport['format'], selectedOnly: boolean) => {
    const { selection: selected } = selection.selected();
    const exported = seenColumns(columns.placed);
    const wanted: GridExport = {
      path,
      format,
      columns: exported.map(({ id }) => id),
      texts: exportTexts(label, exported),
      ...(question.order && { sort: question.order }),
      // Single rows stay selected whatever is searched for since.
      ...(selectedOnly && 'ids' in selected ? { ids: selected.ids } : question.asked),
      ...(selectedOnly && 'all' in selected && selected.all.except && { except: selected.all.except }),
    };
    void runExport(server, wanted, { label, total: selectedOnly ? count : total });
  };

  const formats = [
    { format: 'csv', name: t`CSV` },
    { format: 'xlsx', name: t`Excel (XLSX)` },
  ] as const;
  const entries = (before: string, selectedOnly: boolean) =>
    formats.map(({ format, name }) => ({
      label: `${before}${name}`,
      onSelect: () => write(format, selectedOnly),
    }));
  const items =
    count > 0 && (!all || except > 0)
      ? [
          ...entries(`${t`${formatNumber(count)} selected:`} `, true),
          ...entries(`${t`All matching:`} `, false),
        ]
      : entries('', false);
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
