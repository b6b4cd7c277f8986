/** The frame around a chart: what it shows in a sentence, and the same figures as a table, to read and to copy. */
import { t } from '@lingui/core/macro';
import { IconChartBar, IconCopy, IconTable } from '@tabler/icons-react';
import { formatTabSeparated } from '@vestibule/contract/rules/spreadsheet-text';
import { useId, useState, type KeyboardEventHandler, type ReactNode } from 'react';
import { QuietButton } from '../button.tsx';
import { toast } from '../toast/toast.tsx';
import './chart.css';

/** Draws the router's link around something of a chart; what leads nowhere is given back as it is. */
export type RenderChartLink<Entry> = (
  entry: Entry,
  link: {
    className: string;
    'aria-label'?: string;
    tabIndex?: number;
    onFocus?: () => void;
    onBlur?: () => void;
    onKeyDown?: KeyboardEventHandler;
    children: ReactNode;
  },
) => ReactNode;

/** The figures of a chart, an entry per row. */
type ChartTable<Entry> = {
  columns: readonly string[];
  entries: readonly Entry[];
  /** The texts of a row, one per column. */
  cells: (entry: Entry) => readonly string[];
};

/**
 * A card with a chart in it. Screen readers have its figures as a table too, which takes the drawing's place on demand.
 */
export function Chart<Entry>({
  title,
  description,
  table,
  renderLink,
  children,
}: {
  title: string;
  description: ReactNode;
  table: ChartTable<Entry>;
  renderLink: RenderChartLink<Entry>;
  children: ReactNode;
}) {
  const [asTable, setAsTable] = useState(false);
  const other = asTable ? t`Show as chart` : t`Show as table`;
  const titleId = useId();
  const rows = table.entries.map((entry) => ({ entry, cells: table.cells(entry) }));

  const copy = async () => {
    const text = formatTabSeparated([table.columns, ...rows.map(({ cells }) => cells)]);
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t`Copied. You can paste the figures into a spreadsheet.`);
    } catch {
      // No permission, or not a secure context: the table can still be marked and copied by hand.
      setAsTable(true);
      toast.failure(t`Your browser does not allow copying here. Select the table and copy it yourself.`);
    }
  };

  return (
    <section className="card raised chart" aria-labelledby={titleId}>
      <div className="card-head apart">
        <h2 id={titleId}>{title}</h2>
        <div className="chart-tools">
          <QuietButton aria-label={other} title={other} onClick={() => setAsTable(!asTable)}>
            {asTable ? <IconChartBar {...look} /> : <IconTable {...look} />}
          </QuietButton>
          <QuietButton aria-label={t`Copy`} title={t`Copy`} onClick={copy}>
            <IconCopy {...look} />
          </QuietButton>
        </div>
      </div>
      <p className="chart-description">{description}</p>
      {!asTable && children}
      <div className={asTable ? 'chart-table' : 'visually-hidden'}>
        <table aria-labelledby={titleId}>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ entry, cells: [name, ...values] }, index) => (
              <tr key={index}>
                <th scope="row">
                  {asTable ? renderLink(entry, { className: 'chart-row', children: name }) : name}
                </th>
                {values.map((value, column) => (
                  <td key={column}>{value}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const look = { size: 18, stroke: 1.75, 'aria-hidden': true } as const;
