import { ColumnsDialog } from './columns/grid-columns.tsx';
import type { GridColumns } from './columns/use-grid-columns.ts';
import { FilterPanel } from './filter/filter-panel.tsx';
import { FilterSheet } from './filter/filter-sheet.tsx';
import type { FilterControls } from './rows/use-grid-filters.ts';

/** The panel that is open: columns, sort and filter sheet, or the filter of one column. */
export type OpenPanel = 'columns' | 'sheet' | { column: string; anchor: HTMLElement };

export function GridPanels<Row>({
  panel,
  columns,
  controls,
  count,
  onClose,
}: {
  panel: OpenPanel;
  columns: GridColumns<Row>;
  controls: FilterControls;
  /** Number of matching rows in words; empty until known. */
  count: string;
  onClose: () => void;
}) {
  if (panel === 'columns') return <ColumnsDialog columns={columns} onClose={onClose} />;
  if (panel === 'sheet')
    return <FilterSheet columns={columns.defined} controls={controls} count={count} onClose={onClose} />;
  const column = columns.defined.find(({ id }) => id === panel.column);
  return (
    column?.filter && (
      <FilterPanel
        key={column.id}
        column={column}
        controls={controls}
        count={count}
        anchor={panel.anchor}
        onClose={onClose}
      />
    )
  );
}
