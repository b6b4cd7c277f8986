/** What is typed into rows and not saved yet. It outlives a row's place: in another group, or behind a filter. */
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { roleOptions } from '../../invitation-texts.ts';
import type { DraftRow } from '../invite-draft.ts';

type Texts = Record<'email' | 'name' | 'role' | 'message', string>;

/** What differs from the row; nothing as yet where its editor has only been opened. */
export type Correction = Partial<Texts>;

export type Correcting = {
  /** By the rows' ids. */
  corrections: Readonly<Record<number, Correction | undefined>>;
  /** Why nothing is sent while something is not saved. */
  problem: string | undefined;
  /** Without a correction its editor is closed. */
  onCorrect: (row: DraftRow, correction?: Correction) => void;
};

export function useCorrections(rows: readonly DraftRow[]): {
  correcting: Correcting;
  /** Leads to what is not saved, which `show` shows; false where there is nothing. */
  refuseUnsaved: (show: () => void) => boolean;
} {
  const [corrections, setCorrections] = useState<Correcting['corrections']>({});
  const [refused, setRefused] = useState(false);
  return {
    correcting: {
      corrections,
      problem: refused ? t`Save this correction, or cancel it, before you send.` : undefined,
      onCorrect({ id }, correction) {
        setRefused(false);
        setCorrections((before) => ({ ...before, [id]: correction }));
      },
    },
    refuseUnsaved(show) {
      const unsaved = rows.find((row) => isUnsaved(row, corrections[row.id]));
      if (!unsaved) return false;
      flushSync(() => {
        show();
        setRefused(true);
      });
      document.getElementById(fieldId(unsaved, 'email'))?.focus();
      return true;
    },
  };
}

/** A row as its editor shows it. */
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

/** The field's own wherever its row is shown. */
export function fieldId(row: DraftRow, name: keyof Texts): string {
  return `row-${row.id}-${name}`;
}
