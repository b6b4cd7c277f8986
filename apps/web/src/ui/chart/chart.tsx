import { t } from '@lingui/core/macro';
import { IconChartBar, IconCopy, IconTable } from '@tabler/icons-react';
import { formatTabSeparated } from '@vestibule/contract/rules/spreadsheet-text';
import { useId, useState, type KeyboardEventHandler, type ReactNode } from 'react';
import { QuietButton } from '../button.tsx';
import { toast } from '../toast/toast.tsx';
import './chart.css';

/** Wraps part of a chart in a router link. Returns the children without a link if there is no target. */
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

type ChartTable<Entry> = {
  columns: readonly string[];
  entries: readonly Entry[];
  /** Returns the texts of a row, one per column. */
  cells: (entry: Entry) => readonly string[];
};

/** Card with a chart. Its values are also a table, which replaces the chart on demand and is always available to screen readers. */
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
  const switchLabel = asTable ? t`Show as chart` : t`Show as table`;
  const titleId = useId();
  const rows = table.entries.map((entry) => ({ entry, cells: table.cells(entry) }));

  const copy = async () => {
    const text = formatTabSeparated([table.columns, ...rows.map(({ cells }) => cells)]);
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t`Copied. You can paste the figures into a spreadsheet.`);
    } catch {
      // Copying is not allowed, or the page is not in a secure context: show the table, so that the user can copy it.
      setAsTable(true);
      toast.failure(t`Your browser does not allow copying here. Select the table and copy it yourself.`);
    }
  };

  return (
    <section className="card raised chart" aria-labelledby={titleId}>
      <div className="card-head apart">
        <h2 id={titleId}>{title}</h2>
        <div className="chart-tools">
          <QuietButton aria-label={switchLabel} title={switchLabel} onClick={() => setAsTable(!asTable)}>
            {asTable ? <IconChartBar {...iconProps} /> : <IconTable {...iconProps} />}
          </QuietButton>
          <QuietButton aria-label={t`Copy`} title={t`Copy`} onClick={copy}>
            <IconCopy {...iconProps} />
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

const iconProps = { size: 18, stroke: 1.75, 'aria-hidden': true } as const;
