/** Formats values in server messages. Separate from format-message.ts, which the login page loads. */
import type { MessageValues } from '@vestibule/contract/texts/text';
import { formatValues } from '@vestibule/contract/texts/text-values';
import { formatDay, formatEnd, formatNumber, formatSize } from './formats.ts';
import { formatMoment } from './moment.ts';

export const formatServerValues = (values: MessageValues): MessageValues =>
  formatValues(values, {
    moment: formatMoment,
    day: (moment) => formatDay(moment, 'long'),
    end: formatEnd,
    size: formatSize,
    number: formatNumber,
  });
