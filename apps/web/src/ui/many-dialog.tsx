import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState, type ReactNode } from 'react';
import { formatNumber } from '../language/formats.ts';
import { inLanguage } from '../language/known-texts.ts';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Dialog } from './dialog.tsx';
import type { SelectedRows } from './grid-selection.ts';
import './many-dialog.css';

/** The rows that an action was not applied to, with the reason of each: all of them counted, the first ones named. */
export interface SkippedRows {
  skipped: readonly { id: string; label: string; reason: string }[];
  skippedCount: number;
}

/** The most rows that the question names. */
const namedMaximum = 8;

/** Asks before something is done to the selected rows of a grid, names them, and afterwards those left as they are. */
export function ManyDialog<Row>({
  title,
  danger,
  selected: { count, rows, clear },
  nameOf,
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
  nameOf: (row: Row) => string;
  /** "3 people". */
  countOf: (count: number) => string;
  /** Does it, and tells how it went; null when it failed. */
  onConfirm: () => Promise<SkippedRows | null>;
  /** It was done to some, or may have been: the list is to be read again. */
  onDone: () => void;
  onClose: () => void;
  /** What follows from it. */
  children: ReactNode;
}) {
  const [left, setLeft] = useState<SkippedRows | null>(null);

  const apply = async () => {
    const answer = await onConfirm();
    if (answer) clear();
    onDone();
    if (answer && answer.skippedCount > 0) setLeft(answer);
    else onClose();
  };

  if (left) {
    const unnamed = left.skippedCount - left.skipped.length;
    return (
      <Dialog
        title={t`${countOf(left.skippedCount)} left as they are`}
        onClose={onClose}
        actions={
          <Button variant="primary" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
        }
      >
        <ul className="many-left">
          {left.skipped.map(({ id, label, reason }) => (
            <li key={id}>
              {label}
              <small>{inLanguage(reason)}</small>
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
      danger={danger}
      onClose={onClose}
      onConfirm={apply}
    >
      <p>{namesOf(rows.map(nameOf), count)}</p>
      {children}
    </ConfirmDialog>
  );
}

/** “a@x.de, b@x.de, c@x.de and 12 more.” */
function namesOf(names: readonly string[], count: number): string {
  const named = names.slice(0, namedMaximum);
  const more = count - named.length;
  if (named.length === 0) return t`All that match the search and the filters.`;
  return `${named.join(', ')}${more > 0 ? ` ${t`and ${formatNumber(more)} more`}` : ''}.`;
}
