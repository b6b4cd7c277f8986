/** What happens to many rows at once: the question before, how far it is, and what was skipped and why. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState, type ReactNode } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { formatMessage } from '../../language/format-message.ts';
import { CloseAction } from './close-action.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Dialog } from './dialog.tsx';
import type { GridRow } from '../grid/rows/grid-pages.ts';
import type { SelectedRows } from '../grid/selection/grid-selection.ts';
import { skippedMessage } from '../grid/selection/skipped.ts';
import { PersonCell } from '../person/person.tsx';
import type { ShownPerson } from '../person/shown-person.ts';
import { nameSkipped, type SkippedRows } from './skipped-rows.ts';
import './bulk-action-dialog.css';

/** What an action of several parts is given: it tells how many rows it has reached, and begins no other part once stopped. */
export type BulkProgress = {
  onProgress: (reached: number) => void;
  signal: AbortSignal;
};

/** The most rows that the question names. */
const namedMaximum = 8;

/** Asks before something is done to the selected rows of a grid, names them, and afterwards those left as they are. */
export function BulkActionDialog<Row extends GridRow>({
  title,
  danger,
  selected,
  who,
  nameOf,
  personOf,
  countOf,
  onConfirm,
  onDone,
  onClose,
  children,
}: {
  /** What is done, as a verb: "Revoke". */
  title: string;
  danger: boolean;
  selected: SelectedRows<Row>;
  /** Whom it is done to, where that is no selection of a grid. */
  who?: string;
  nameOf?: (row: Row) => string;
  /** Instead of a name, where the rows are people. */
  personOf?: (row: Row) => ShownPerson;
  /** "3 people". */
  countOf: (count: number) => string;
  /** Does it, and tells how it went; null when it failed. */
  onConfirm: (progress: BulkProgress) => Promise<SkippedRows | null>;
  /** It was done to some, or may have been: the list is to be read again. */
  onDone: () => void;
  onClose: () => void;
  /** What follows from it. */
  children: ReactNode;
}) {
  const { count, clear } = selected;
  const [left, setLeft] = useState<SkippedRows | null>(null);
  const [run, setRun] = useState<{ stop: AbortController; reached: number } | null>(null);

  const apply = async () => {
    const stop = new AbortController();
    // More than were counted, where some of them are left out.
    const report = (reached: number) => setRun({ stop, reached: Math.min(reached, count) });
    report(0);
    const answer = await onConfirm({ onProgress: report, signal: stop.signal });
    if (answer) clear();
    onDone();
    if (answer && answer.skippedCount > 0) setLeft(nameSkipped(answer, selected.rows, { nameOf, personOf }));
    else onClose();
  };

  const stop = () => {
    run?.stop.abort();
    setRun(run && { ...run });
  };

  if (left) {
    const unnamed = left.skippedCount - left.skipped.length;
    return (
      <Dialog
        title={t`${countOf(left.skippedCount)} skipped`}
        onClose={onClose}
        actions={<CloseAction onClose={onClose} />}
      >
        <ul className="many-left">
          {left.skipped.map(({ id, label, person, reasonText }) => (
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
      // What is on its way is done; the dialog closes once the server has answered.
      onClose={run ? stop : onClose}
      onConfirm={apply}
    >
      {who === undefined ? <Chosen selected={selected} nameOf={nameOf} personOf={personOf} /> : <p>{who}</p>}
      {children}
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

/** Those that were selected: people one by one, others as “a.txt, b.txt, c.txt and 12 more.” */
function Chosen<Row>({
  selected: { selection, count, rows },
  nameOf = () => '',
  personOf,
}: {
  selected: SelectedRows<Row>;
  nameOf: ((row: Row) => string) | undefined;
  personOf: ((row: Row) => ShownPerson) | undefined;
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
