import type { MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

export const writeDisabledMail = composeMessage<MailValues>({
  en: ({ site: { productName: product } }) => ({
    subject: `Your access to ${product} has been disabled`,
    paragraphs: [
      `An administrator has disabled your access to ${product}. You cannot use it until an administrator enables it again.`,
    ],
    closing: 'If you think this is a mistake, ask an administrator.',
  }),
  de: ({ site: { productName: product } }) => ({
    subject: `Ihr Zugang zu ${product} ist gesperrt`,
    paragraphs: [
      `jemand aus der Administration hat Ihren Zugang zu ${product} gesperrt. Sie können es nicht benutzen, bis er wieder freigegeben wird.`,
    ],
    closing: 'Wenn Sie das für einen Irrtum halten, wenden Sie sich an die Administration.',
  }),
});
