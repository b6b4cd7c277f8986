import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconArrowDown, IconArrowUp, IconPin, IconPinFilled } from '@tabler/icons-react';
import { useLayoutEffect, useRef, type AriaAttributes, type ReactNode } from 'react';
import { Button, QuietButton } from '../button.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { CheckBox } from '../fields/check-box.tsx';
import { Choice } from '../fields/choice.tsx';
import { changeColumn, moveColumn, type PlacedColumn } from './grid-layout.ts';
import type { GridColumns } from './grid-storage.ts';

const iconProps = { size: 16, 'aria-hidden': true } as const;

/** Dialog that shows, hides, orders and pins columns, and sets the row height. */
export function ColumnsDialog<Row>({
  columns: { placed, place, reset, compact, setCompact },
  onClose,
}: {
  columns: GridColumns<Row>;
  onClose: () => void;
}) {
  const shown = placed.filter(({ hidden }) => !hidden).length;
  // React moves the line in the DOM, which removes the focus from its button.
  const pressedButton = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (pressedButton.current?.isConnected) pressedButton.current.focus();
    pressedButton.current = null;
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
                pressedButton.current = currentTarget;
                place(next());
              }}
            >
              {icon}
            </QuietButton>
          );
          // A disabled button would lose the focus.
          const step = (offset: 1 | -1, label: string, icon: ReactNode) =>
            tool(label, icon, { 'aria-disabled': placed[index + offset]?.pinned !== pinned }, () =>
              moveColumn(placed, id, offset),
            );
          return (
            <li key={id}>
              <CheckBox
                className="grid-value"
                checked={!hidden}
                disabled={!hidden && shown === 1}
                onChange={(isShown) => place(changeColumn(placed, id, { hidden: !isShown }))}
              >
                {title}
              </CheckBox>
              {tool(
                t`Pin to left`,
                pinned ? <IconPinFilled {...iconProps} /> : <IconPin {...iconProps} />,
                { 'aria-pressed': pinned },
                () => changeColumn(placed, id, { pinned: !pinned }),
              )}
              {step(-1, t`Move up`, <IconArrowUp {...iconProps} />)}
              {step(1, t`Move down`, <IconArrowDown {...iconProps} />)}
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
