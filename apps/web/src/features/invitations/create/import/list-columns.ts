/** The columns of a list, and the choices by which a list is read. */
import { t } from '@lingui/core/macro';
import type { Encoding, EncodingSample } from './encodings.ts';
import type { Entry } from './typed-addresses.ts';

export type Field = 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'message';

/** The position of each field's column, counted from 0. */
export type Columns = Partial<Record<Field, number>>;

/** Choices made by hand. Everything else is detected. */
export type Choices = {
  encoding?: Encoding;
  /** The row number of the titles; 0 for a list without titles. */
  titleRow?: number;
  columns?: Columns;
};

/** The content of a file, and how it was read. */
export type List = {
  entries: Entry[];
  /** The titles of all columns; empty for addresses that are no table. */
  titles: string[];
  columns: Columns;
  /** The row number of the titles; 0 for a list without titles. */
  titleRow: number;
  /** The first rows, one of which may be the titles. */
  firstRows: { row: number; text: string }[];
  /** The encoding in use and accented text in each possible one; null for Unicode without errors. */
  encoding: { used: Encoding; samples: EncodingSample[] } | null;
  /** Sentences about content that is not used, and about doubtful columns and titles. */
  notes: string[];
  choices: Choices;
};

/** A list of entries alone. */
export function plainList(entries: Entry[]): List {
  return {
    entries,
    titles: [],
    columns: {},
    titleRow: 0,
    firstRows: [],
    encoding: null,
    notes: [],
    choices: {},
  };
}

export const fieldNames = (): Record<Field, string> => ({
  email: t`E-mail`,
  name: t`Name`,
  firstName: t`First name`,
  lastName: t`Last name`,
  role: t`Role`,
  message: t`Message`,
});
