/** What the server tells, in the site's language. The catalogs have its texts by their codes (server-texts.ts beside lingui.config.ts). */
import { i18n } from '@lingui/core';
import type { TextValues } from '@vestibule/contract/text';
import { writeValues } from '@vestibule/contract/text-values';
import { formatDay, formatMoment, formatNumber, formatSize } from './formats.ts';

const here = {
  moment: formatMoment,
  day: (moment: string) => formatDay(moment, 'long'),
  size: formatSize,
  number: formatNumber,
};

/** A text of the server: its English, and what says it in another language. */
export type Told = { code: string; message: string; values?: TextValues };

/** A text of the server. One that the catalogs do not have, such as a newer server's, stays its English. */
export function tell({ code, message, values = {} }: Told): string {
  return i18n.messages[code] === undefined ? message : i18n._(code, writeValues(values, here));
}
