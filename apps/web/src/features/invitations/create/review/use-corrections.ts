/** Unsaved corrections of rows. Stored separately from the rows, which can change their group or be filtered. */
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { roleOptions } from '../../invitation-texts.ts';
import type { DraftRow } from '../invite-draft.ts';

type Texts = Record<'email' | 'name' | 'role' | 'message', string>;

/** Changed fields; empty if the editor is open without changes. */
export type Correction = Partial<Texts>;

export type CorrectionState = {
  /** By row id. */
  corrections: Readonly<Record<number, Correction | undefined>>;
  /** Error shown when the user sends with unsaved corrections. */
  problem: string | undefined;
  /** Undefined closes the editor. */
  onCorrect: (row: DraftRow, correction?: Correction) => void;
};

export function useCorrections(rows: readonly DraftRow[]): {
  correctionState: CorrectionState;
  /** Focuses the first unsaved correction after `showRows` has rendered it. Returns false if there is none. */
  focusUnsaved: (showRows: () => void) => boolean;
} {
  const [corrections, setCorrections] = useState<CorrectionState['corrections']>({});
  const [isBlocked, setIsBlocked] = useState(false);
  return {
    correctionState: {
      corrections,
      problem: isBlocked ? t`Save this correction, or cancel it, before you send.` : undefined,
      onCorrect({ id }, correction) {
        setIsBlocked(false);
        setCorrections((previous) => ({ ...previous, [id]: correction }));
      },
    },
    focusUnsaved(showRows) {
      const unsaved = rows.find((row) => isUnsaved(row, corrections[row.id]));
      if (!unsaved) return false;
      flushSync(() => {
        showRows();
        setIsBlocked(true);
      });
      document.getElementById(fieldId(unsaved, 'email'))?.focus();
      return true;
    },
  };
}

export function textsOf(row: DraftRow, correction?: Correction): Texts {
  return {
    email: row.email,
    name: row.name,
    role: roleOptions().find(({ value }) => value === row.role)?.value ?? '',
    message: row.message ?? '',
    ...correction,
  };
}

export function isUnsaved(row: DraftRow, correction: Correction | undefined): boolean {
  return !row.out && JSON.stringify(textsOf(row, correction)) !== JSON.stringify(textsOf(row));
}

export function fieldId(row: DraftRow, name: keyof Texts): string {
  return `row-${row.id}-${name}`;
}
