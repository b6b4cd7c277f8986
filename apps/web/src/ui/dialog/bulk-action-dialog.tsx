import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { formatMessage } from '../../language/format-message.ts';
import { CloseAction, Dialog } from './dialog.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import type { GridRow } from '../grid/grid-pages.ts';
import type { BulkAction } from '../grid/grid-props.ts';
import type { SelectedRows } from '../grid/grid-selection.ts';
import { skippedMessage } from '../grid/skipped.ts';
import { PersonCell } from '../person/person.tsx';
import {
  changeAllRows,
  changeAtOnce,
  nameSkipped,
  type BulkChange,
  type RowNames,
  type SkippedRows,
} from './bulk-action.ts';
import type { OpenDialog } from './use-dialog.tsx';

/** Maximum number of names in the question. */
const namedMaximum = 8;

/** Returns the button of a change for a grid. It opens a confirmation dialog if the change needs one. `onDone` is called after all attempts. */
export function bulkAction<Row extends GridRow, Selection>(
  change: BulkChange<Row, Selection>,
  { open, onDone, names }: { open: OpenDialog; onDone: () => void; names: RowNames<Row> },
): BulkAction<Row> {
  const { label, danger, skipReason, canUndo } = change;
  return {
    label,
    danger,
    ...(skipReason && { skipReason }),
    onSelect: (selected) =>
      canUndo && 'ids' in selected.selection
        ? changeAtOnce(change, selected, names).then(onDone)
        : open((close) => (
            <BulkActionDialog
              change={change}
              selected={selected}
              names={names}
              onDone={onDone}
              onClose={close}
            />
          )),
  };
}

/** Asks for confirmation of a bulk action, shows its progress, and lists skipped rows afterwards. */
export function BulkActionDialog<Row extends GridRow, Selection>({
  change,
  selected,
  selectionText,
  names,
  onDone,
  onClose,
}: {
  change: BulkChange<Row, Selection>;
  selected: SelectedRows<Row>;
  /** Text that is shown instead of the names of the rows. */
  selectionText?: string;
  names: RowNames<Row>;
  /** Called even after a failure, since some rows may have changed. */
  onDone: () => void;
  onClose: () => void;
}) {
  const { label: title, danger, consequence } = change;
  const { countOf } = names;
  const { count, clear } = selected;
  const [skippedRows, setSkippedRows] = useState<SkippedRows | null>(null);
  const [run, setRun] = useState<{ stop: AbortController; reached: number } | null>(null);

  const apply = async () => {
    const stop = new AbortController();
    // The number of processed rows can exceed `count`, which excludes rows that the client skips.
    const report = (reached: number) => setRun({ stop, reached: Math.min(reached, count) });
    report(0);
    const result = await changeAllRows(change, selected.selection, {
      onProgress: report,
      signal: stop.signal,
    });
    if (result) clear();
    onDone();
    if (result && result.skippedCount > 0) setSkippedRows(nameSkipped(result, selected.rows, names));
    else onClose();
  };

  const stop = () => {
    run?.stop.abort();
    setRun(run && { ...run });
  };

  if (skippedRows) {
    const unnamed = skippedRows.skippedCount - skippedRows.skipped.length;
    return (
      <Dialog
        title={t`${countOf(skippedRows.skippedCount)} skipped`}
        onClose={onClose}
        actions={<CloseAction onClose={onClose} />}
      >
        <ul className="many-left">
          {skippedRows.skipped.map(({ id, label, person, reasonText }) => (
            <li key={id}>
              {person ? <PersonCell person={person} /> : label}
              <small>{formatMessage(reasonText)}</small>
            </li>
          ))}
        </ul>
        {unnamed > 0 && (
          <p>
            <Trans>and {formatNumber(unnamed)} more.</Trans>
          </p>
        )}
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title={`${title}: ${countOf(count)}`}
      confirm={`${title}: ${countOf(count)}`}
      cancel={run ? (run.stop.signal.aborted ? t`Stopping…` : t`Stop`) : t`Cancel`}
      danger={danger}
      isPossible={count > 0}
      // Stops after the current request; then the dialog closes.
      onClose={run ? stop : onClose}
      onConfirm={apply}
    >
      {selectionText === undefined ? (
        <SelectedNames selected={selected} names={names} />
      ) : (
        <p>{selectionText}</p>
      )}
      {typeof consequence === 'string' ? <p>{consequence}</p> : consequence}
      {change.allNote && 'all' in selected.selection && <p>{change.allNote}</p>}
      {selected.skipReasons && <p>{skippedMessage(selected.skipReasons)}</p>}
      {run && run.reached > 0 && (
        <div>
          <progress aria-label={title} max={count} value={run.reached} />
          <p aria-live="polite">
            {t`${formatNumber(run.reached)} of ${countOf(count)}. If you stop, changes already made are kept.`}
          </p>
        </div>
      )}
    </ConfirmDialog>
  );
}

/** Names the selected rows: a list of people, or text such as “a.txt, b.txt, c.txt and 12 more.” */
function SelectedNames<Row>({
  selected: { selection, count, rows },
  names: { nameOf = () => '', personOf },
}: {
  selected: SelectedRows<Row>;
  names: RowNames<Row>;
}) {
  if ('all' in selection) {
    const except = selection.all.except?.length ?? 0;
    return (
      <p>
        {except > 0
          ? t`All that match the search and filters, except the ${formatNumber(except)} you deselected.`
          : t`All that match the search and filters.`}
      </p>
    );
  }
  const named = rows.slice(0, namedMaximum);
  const more = count - named.length;
  if (!personOf)
    return (
      <p>{`${named.map(nameOf).join(', ')}${more > 0 ? ` ${t`and ${formatNumber(more)} more`}` : ''}.`}</p>
    );
  return (
    <>
      <ul className="many-people">
        {named.map(personOf).map((person) => (
          <li key={person.id}>
            <PersonCell person={person} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p>
          <Trans>and {formatNumber(more)} more.</Trans>
        </p>
      )}
    </>
  );
}
