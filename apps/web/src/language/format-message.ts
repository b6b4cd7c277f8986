/** What the server tells, in the site's language. The catalogs have its texts by their codes (server-texts.ts beside lingui.config.ts). */
import { i18n } from '@lingui/core';
import type { MessageValues } from '@vestibule/contract/texts/text';

/** A text of the server: its English, and what says it in another language. */
export type FormattedMessage = { code: string; message: string; values?: MessageValues };

/** How the values of a text are written; comes with the texts (language.ts), since the login page has neither. */
let written = (values: MessageValues): MessageValues => values;

export function writeValuesBy(write: typeof written): void {
  written = write;
}

/** A text of the server. One that the catalogs do not have, such as a newer server's, stays its English. */
export function formatMessage({ code, message, values = {} }: FormattedMessage): string {
  return i18n.messages[code] === undefined ? message : i18n._(code, written(values));
}
