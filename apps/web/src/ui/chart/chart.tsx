import { t } from '@lingui/core/macro';
import { IconCopy } from '@tabler/icons-react';
import { formatTabSeparated } from '@vestibule/contract/rules/spreadsheet-text';
import { useId, type KeyboardEventHandler, type ReactNode } from 'react';
import { QuietButton } from '../button.tsx';
import { copyText } from '../toast/toast.tsx';
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

/** Card with a chart. Its values are also a table, for screen readers and for copying. */
export function Chart({
  title,
  description,
  columns,
  rows,
  children,
}: {
  title: string;
  description: ReactNode;
  columns: readonly string[];
  /** Texts of the table, one per column. */
  rows: readonly (readonly string[])[];
  children: ReactNode;
}) {
  const titleId = useId();
  const copy = () => {
    const text = formatTabSeparated([columns, ...rows]);
    return copyText(text, t`Copied. You can paste the figures into a spreadsheet.`, title);
  };

  return (
    <section className="card raised chart" aria-labelledby={titleId}>
      <div className="card-head apart">
        <h2 id={titleId}>{title}</h2>
        <QuietButton className="chart-copy" aria-label={t`Copy`} title={t`Copy`} onClick={copy}>
          <IconCopy size={18} stroke={1.75} aria-hidden="true" />
        </QuietButton>
      </div>
      <p className="chart-description">{description}</p>
      {children}
      <div className="visually-hidden">
        <table aria-labelledby={titleId}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...values], index) => (
              <tr key={index}>
                <th scope="row">{name}</th>
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
