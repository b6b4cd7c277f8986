/** What the columns of a list are taken for. */
import { t } from '@lingui/core/macro';
import type { Entry } from './typed-addresses.ts';

export type Field = 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'message';

/** Where each field stands, counted from 0. */
export type Columns = Partial<Record<Field, number>>;

/** What was found in a file, and how its columns were understood. `titles` names every column of it. */
export type List = { entries: Entry[]; titles: string[]; columns: Columns };

export const fieldNames = (): Record<Field, string> => ({
  email: t`E-mail`,
  name: t`Name`,
  firstName: t`First name`,
  lastName: t`Last name`,
  role: t`Role`,
  message: t`Message`,
});
