/** Columns of a list, and options for parsing it. */
import { t } from '@lingui/core/macro';
import type { Encoding } from '../../../../lib/tables/encodings.ts';
import type { TextEncoding } from '../../../../lib/tables/file-text.ts';
import type { Entry } from './typed-addresses.ts';

export type Field = 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'message';

export type Columns = Partial<Record<Field, number>>;

/** Options chosen by the user; others are detected. */
export type ReadChoices = { encoding?: Encoding; columns?: Columns };

export type List = {
  entries: Entry[];
  /** Titles of all columns; empty if the file is not a table. */
  titles: string[];
  columns: Columns;
  encoding: TextEncoding;
  /** Messages about unused rows and uncertain columns. */
  notes: string[];
  choices: ReadChoices;
};

export const plainList = (entries: Entry[]): List => ({
  entries,
  titles: [],
  columns: {},
  encoding: null,
  notes: [],
  choices: {},
});

export const fieldNames = (): Record<Field, string> => ({
  email: t`E-mail`,
  name: t`Name`,
  firstName: t`First name`,
  lastName: t`Last name`,
  role: t`Role`,
  message: t`Message`,
});
