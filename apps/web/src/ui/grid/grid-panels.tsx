import { t } from '@lingui/core/macro';
import {
  useId,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type AriaAttributes,
  type SubmitEvent,
  type ReactNode,
} from 'react';
import { IconArrowDown, IconArrowUp, IconPin, IconPinFilled } from '@tabler/icons-react';
import { changeColumn, moveColumn, type GridColumns, type PlacedColumn } from './grid-layout.ts';
import type { FilterControls } from './grid-state.ts';
import { Button, QuietButton } from '../button.tsx';
import type { GridColumn } from './grid-column.ts';
import { filterDraftOf, filterOf, type FilterDraft } from './filters/filter-draft.ts';
import { withFilter } from './grid-query.ts';
import { FilterFields } from './filters/filter-fields.tsx';
import { CloseAction, Dialog } from '../dialog/dialog.tsx';
import { CheckBox } from '../fields/check-box.tsx';
import { Choice } from '../fields/choice.tsx';
import { SelectField } from '../fields/field.tsx';
import { usePopover } from '../popover/use-popover.ts';
import '../popover/popover.css';

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

/** Filter of one column, anchored to its header. Changes apply immediately. */
function FilterPanel({
  column,
  controls,
  count,
  anchor,
  onClose,
}: {
  column: GridColumn<never>;
  controls: FilterControls;
  count: string;
  anchor: HTMLElement;
  onClose: () => void;
}) {
  const { fieldsOf, close, submit, clear } = useFilterDrafts([column], controls, onClose);
  return (
    <GridPopover label={t`Filter ${column.title}`} anchor={anchor} onClose={close}>
      <form className="grid-filter" onSubmit={submit}>
        {fieldsOf(column)}
        <div className="grid-filter-foot">
          <output className="grid-filter-count small-print">{count}</output>
          <QuietButton onClick={clear}>{t`Clear`}</QuietButton>
          <Button size="small" variant="primary" type="submit">
            {t`Done`}
          </Button>
        </div>
      </form>
    </GridPopover>
  );
}

/** Sorting and all filters in one dialog, for narrow screens. Changes apply immediately. */
function FilterSheet({
  columns,
  controls,
  count,
  onClose,
}: {
  columns: readonly GridColumn<never>[];
  controls: FilterControls;
  count: string;
  onClose: () => void;
}) {
  const formId = useId();
  const { order, sortBy } = controls;
  const sortable = columns.filter((column) => column.sortable ?? true);
  const filterable = columns.filter((column) => column.filter);
  const { fieldsOf, close, submit, clear } = useFilterDrafts(filterable, controls, onClose);
  const clearAll = () => {
    clear();
    if (order) sortBy(undefined);
  };
  return (
    <Dialog
      title={filterable.length > 0 ? t`Sort and filter` : t`Sort`}
      onClose={close}
      actions={
        <>
          <output className="grid-filter-count small-print">{count}</output>
          <Button onClick={clearAll}>{t`Clear all`}</Button>
          <Button variant="primary" type="submit" form={formId}>
            {t`Done`}
          </Button>
        </>
      }
    >
      <form id={formId} className="grid-sheet" onSubmit={submit}>
        {sortable.length > 0 && (
          <div className="grid-sheet-sort">
            <SelectField
              label={t`Sort by`}
              value={order?.column ?? ''}
              options={[
                { value: '', label: t`Default order` },
                ...sortable.map(({ id, title }) => ({ value: id, label: title })),
              ]}
              onChange={({ currentTarget: { value } }) =>
                sortBy(value ? { column: value, direction: order?.direction ?? 'asc' } : undefined)
              }
            />
            <SelectField
              label={t`Direction`}
              value={order?.direction ?? 'asc'}
              disabled={!order}
              options={[
                { value: 'asc', label: t`A to Z, oldest first` },
                { value: 'desc', label: t`Z to A, newest first` },
              ]}
              onChange={({ currentTarget: { value } }) =>
                order && sortBy({ ...order, direction: value === 'desc' ? 'desc' : 'asc' })
              }
            />
          </div>
        )}
        {filterable.map((column) => (
          <fieldset key={column.id} className="grid-sheet-filter">
            <legend>{column.title}</legend>
            {fieldsOf(column)}
          </fieldset>
        ))}
      </form>
    </Dialog>
  );
}

/** Delay between a change and its effect, in milliseconds. */
const applyDelayMs = 150;

/** Changed filters by column id. */
type Drafts = Readonly<Record<string, FilterDraft>>;

/** Applies changed filters shortly after the last change. Closing the panel applies a pending change at once. */
function useFilterDrafts(
  columns: readonly GridColumn<never>[],
  controls: FilterControls,
  onClose: () => void,
) {
  const { filters, filterBy } = controls;
  const [drafts, setDrafts] = useState<Drafts>({});
  const isPending = useRef(false);
  const apply = (latest: Drafts) => {
    if (!isPending.current) return;
    isPending.current = false;
    let next = filters;
    for (const column of columns) {
      const draft = latest[column.id];
      if (draft) next = withFilter(next, column.id, filterOf(column, draft));
    }
    filterBy(next);
  };
  const applyLatest = useEffectEvent(apply);
  useEffect(() => {
    const timer = setTimeout(() => applyLatest(drafts), applyDelayMs);
    return () => clearTimeout(timer);
  }, [drafts]);
  const close = () => {
    apply(drafts);
    onClose();
  };
  return {
    close,
    submit: (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      close();
    },
    /** Removes the filters of the columns. */
    clear: () => {
      isPending.current = false;
      filterBy(filters.filter((filter) => columns.every(({ id }) => id !== filter.column)));
      onClose();
    },
    fieldsOf: (column: GridColumn<never>) => (
      <FilterFields
        column={column}
        draft={drafts[column.id] ?? filterDraftOf(column, filters)}
        onChange={(draft) => {
          isPending.current = true;
          setDrafts({ ...drafts, [column.id]: draft });
        }}
        controls={controls}
      />
    ),
  };
}

/** Small dialog anchored to part of a grid. Traps the focus and returns it to `anchor`. */
function GridPopover({
  label,
  anchor,
  onClose,
  children,
}: {
  label: string;
  anchor: HTMLElement;
  onClose: () => void;
  children: ReactNode;
}) {
  const panel = useRef<HTMLDialogElement>(null);
  usePopover(panel, {
    anchor,
    align: 'start',
    returnTo: anchor,
    first: (shown) => shown.querySelector<HTMLElement>('[data-autofocus]') ?? focusableElements(shown)[0],
    onKey: (event, shown) => {
      // The grid must not handle keys of this dialog.
      event.stopPropagation();
      if (event.key === 'Tab') trapFocus(shown, event);
    },
    onClose,
  });
  return (
    <dialog ref={panel} popover="auto" className="popover grid-popover" aria-label={label}>
      {children}
    </dialog>
  );
}

const focusableElements = (panel: HTMLElement): HTMLElement[] =>
  [...panel.querySelectorAll<HTMLElement>('input, select, textarea, button')].filter(
    (element) => !element.matches(':disabled') && element.tabIndex >= 0,
  );

function trapFocus(panel: HTMLElement, event: KeyboardEvent): void {
  const elements = focusableElements(panel);
  const [first, last] = [elements[0], elements.at(-1)];
  const leaving = document.activeElement === (event.shiftKey ? first : last);
  if (!leaving) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}

const iconProps = { size: 16, 'aria-hidden': true } as const;

/** Dialog that shows, hides, orders and pins columns, and sets the row height. */
function ColumnsDialog<Row>({
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
          <Button onClick={reset}>{t`Reset to default`}</Button>
          <CloseAction label={t`Done`} onClose={onClose} />
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
