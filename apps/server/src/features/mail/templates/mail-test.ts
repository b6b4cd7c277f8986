import type { MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

export const writeTestMail = composeMessage<MailValues>(
  {
    en: ({ site: { productName: product } }) => ({
      subject: `Test e-mail from ${product}`,
      paragraphs: [`This is a test. E-mails from ${product} reach you, and this is what they look like.`],
      label: `Open ${product}`,
      closing: 'You requested this e-mail in the settings.',
    }),
    de: ({ site: { productName: product } }) => ({
      subject: `Testmail von ${product}`,
      paragraphs: [`dies ist ein Test. Mails von ${product} erreichen Sie, und so sehen sie aus.`],
      label: `${product} öffnen`,
      closing: 'Sie haben diese Mail in den Einstellungen angefordert.',
    }),
  },
  ({ site }) => `${site.publicUrl}/`,
);
