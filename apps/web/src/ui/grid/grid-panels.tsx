import { ColumnsDialog } from './columns/grid-columns.tsx';
import type { GridColumns } from './columns/use-grid-columns.ts';
import { FilterPanel } from './filter/filter-panel.tsx';
import { FilterSheet } from './filter/filter-sheet.tsx';
import type { QuestionState } from './rows/use-grid-filters.ts';

/** What stands open over a grid: its columns, on a phone order and filters, or the filter of one column at its header. */
export type OpenPanel = 'columns' | 'sheet' | { column: string; anchor: HTMLElement };

/** The panel that is open. */
export function GridPanels<Row>({
  panel,
  columns,
  question,
  count,
  onClose,
}: {
  panel: OpenPanel;
  columns: GridColumns<Row>;
  question: QuestionState;
  /** How many rows match, in words; empty until that is known. */
  count: string;
  onClose: () => void;
}) {
  if (panel === 'columns') return <ColumnsDialog columns={columns} onClose={onClose} />;
  if (panel === 'sheet')
    return <FilterSheet columns={columns.defined} question={question} count={count} onClose={onClose} />;
  const column = columns.defined.find(({ id }) => id === panel.column);
  return (
    column?.filter && (
      <FilterPanel
        key={column.id}
        column={column}
        question={question}
        count={count}
        anchor={panel.anchor}
        onClose={onClose}
      />
    )
  );
}
