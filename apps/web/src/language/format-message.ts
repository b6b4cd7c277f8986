/** Translates the server's messages. The catalogs contain them by code (server-texts.ts next to lingui.config.ts). */
import { i18n } from '@lingui/core';
import type { MessageValues } from '@vestibule/contract/texts/text';

export type FormattedMessage = { code: string; message: string; values?: MessageValues };

/** Set when the texts are loaded (language.ts); the login page has no server texts. */
let formatValues = (values: MessageValues): MessageValues => values;

export function setValueFormatter(write: typeof formatValues): void {
  formatValues = write;
}

/** Returns the translation, or the English text if the catalog lacks the code, for example because the server is newer. */
export const formatMessage = ({ code, message, values = {} }: FormattedMessage): string =>
  i18n.messages[code] === undefined ? message : i18n._(code, formatValues(values));
