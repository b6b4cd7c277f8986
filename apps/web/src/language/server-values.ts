/** How the values of the server's texts are written here. Apart from format-message.ts: the login page tells texts before it has any. */
import type { MessageValues } from '@vestibule/contract/texts/text';
import { formatValues } from '@vestibule/contract/texts/text-values';
import { formatDay, formatEnd, formatMoment, formatNumber, formatSize } from './formats.ts';

export const writeServerValues = (values: MessageValues): MessageValues =>
  formatValues(values, {
    moment: formatMoment,
    day: (moment) => formatDay(moment, 'long'),
    end: formatEnd,
    size: formatSize,
    number: formatNumber,
  });
