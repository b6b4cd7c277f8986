/** The dialog that arranges the columns of a grid. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconArrowDown, IconArrowUp, IconPin, IconPinFilled } from '@tabler/icons-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button } from '../../button.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import { Choice } from '../../fields/choice.tsx';
import { changeColumn, moveColumn } from './grid-layout.ts';
import type { GridColumns } from './use-grid-columns.ts';

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
          const before = placed[index - 1];
          const after = placed[index + 1];
          // A button that cannot go on stays where the focus is, and says so.
          const step = (by: 1 | -1, possible: boolean, label: string, icon: ReactNode) => (
            <Button
              variant="quiet"
              size="small"
              aria-label={`${label}: ${title}`}
              title={label}
              aria-disabled={!possible}
              onClick={({ currentTarget }) => {
                used.current = currentTarget;
                place(moveColumn(placed, id, by));
              }}
            >
              {icon}
            </Button>
          );
          return (
            <li key={id}>
              <label className="grid-value">
                <input
                  type="checkbox"
                  checked={!hidden}
                  // The last one that is shown stays.
                  disabled={!hidden && shown === 1}
                  onChange={() => place(changeColumn(placed, id, { hidden: !hidden }))}
                />
                {title}
              </label>
              <Button
                variant="quiet"
                size="small"
                aria-label={t`Pin to left: ${title}`}
                title={t`Pin to left`}
                aria-pressed={pinned}
                onClick={({ currentTarget }) => {
                  used.current = currentTarget;
                  place(changeColumn(placed, id, { pinned: !pinned }));
                }}
              >
                {pinned ? (
                  <IconPinFilled size={16} aria-hidden="true" />
                ) : (
                  <IconPin size={16} aria-hidden="true" />
                )}
              </Button>
              {step(-1, before?.pinned === pinned, t`Move up`, <IconArrowUp size={16} aria-hidden="true" />)}
              {step(
                1,
                after?.pinned === pinned,
                t`Move down`,
                <IconArrowDown size={16} aria-hidden="true" />,
              )}
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
