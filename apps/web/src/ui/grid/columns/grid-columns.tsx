/** The dialog that arranges the columns of a grid. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconArrowDown, IconArrowUp, IconPin, IconPinFilled } from '@tabler/icons-react';
import { useLayoutEffect, useRef, type AriaAttributes, type ReactNode } from 'react';
import { Button, QuietButton } from '../../button.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import { CheckBox } from '../../fields/check-box.tsx';
import { Choice } from '../../fields/choice.tsx';
import { changeColumn, moveColumn, type PlacedColumn } from './grid-layout.ts';
import type { GridColumns } from './use-grid-columns.ts';

const look = { size: 16, 'aria-hidden': true } as const;

/** Which columns are shown, in which order, which stay at the left, and how high rows are: all that headers do by dragging, by buttons. */
export function ColumnsDialog<Row>({
  columns: { placed, place, reset, compact, setCompact },
  onClose,
}: {
  columns: GridColumns<Row>;
  onClose: () => void;
}) {
  const shown = placed.filter(({ hidden }) => !hidden).length;
  // A line that is moved loses the focus that stands in it.
  const used = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (used.current?.isConnected) used.current.focus();
    used.current = null;
  });
  return (
    <Dialog
      title={t`Columns`}
      width={480}
      onClose={onClose}
      actions={
        <>
          <Button onClick={reset}>
            <Trans>Reset to default</Trans>
          </Button>
          <Button variant="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      <ul className="grid-columns">
        {placed.map(({ column: { id, title }, hidden, pinned }, index) => {
          const tool = (
            label: string,
            icon: ReactNode,
            state: AriaAttributes,
            next: () => readonly PlacedColumn<Row>[],
          ) => (
            <QuietButton
              aria-label={`${label}: ${title}`}
              title={label}
              {...state}
              onClick={({ currentTarget }) => {
                used.current = currentTarget;
                place(next());
              }}
            >
              {icon}
            </QuietButton>
          );
          // A button that cannot go on stays where the focus is, and says so.
          const step = (by: 1 | -1, label: string, icon: ReactNode) =>
            tool(label, icon, { 'aria-disabled': placed[index + by]?.pinned !== pinned }, () =>
              moveColumn(placed, id, by),
            );
          return (
            <li key={id}>
              <CheckBox
                className="grid-value"
                checked={!hidden}
                // The last one that is shown stays.
                disabled={!hidden && shown === 1}
                onChange={(isShown) => place(changeColumn(placed, id, { hidden: !isShown }))}
              >
                {title}
              </CheckBox>
              {tool(
                t`Pin to left`,
                pinned ? <IconPinFilled {...look} /> : <IconPin {...look} />,
                { 'aria-pressed': pinned },
                () => changeColumn(placed, id, { pinned: !pinned }),
              )}
              {step(-1, t`Move up`, <IconArrowUp {...look} />)}
              {step(1, t`Move down`, <IconArrowDown {...look} />)}
            </li>
          );
        })}
      </ul>
      <Choice
        label={t`Height of rows`}
        options={[
          { value: 'comfortable', label: t`Comfortable` },
          { value: 'compact', label: t`Compact` },
        ]}
        value={compact ? 'compact' : 'comfortable'}
        onChange={(height) => setCompact(height === 'compact')}
      />
    </Dialog>
  );
}
