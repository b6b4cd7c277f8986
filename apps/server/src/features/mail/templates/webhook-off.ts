/** The mail that tells administrators that a webhook was switched off, because its receiver cannot be reached or wants no more. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

type WebhookOffMailValues = MailValues & { host: string; why: 'failing' | 'gone' };

const texts = {
  en: {
    subject: (host: string, product: string) => `The webhook from ${product} to ${host} was turned off`,
    failing: (host: string, product: string) =>
      `For three days, ${host} has not accepted any events from ${product}. The webhook was turned off, and the program behind it gets no events.`,
    gone: (host: string, product: string) =>
      `${host} has unsubscribed from ${product}. The webhook was turned off.`,
    todo: 'The latest responses are listed with the webhook. Once the receiver works again, turn the webhook on. You can resend missed events from there.',
    open: 'Open the webhooks',
    closing: 'All administrators get this e-mail.',
  },
  de: {
    subject: (host: string, product: string) => `Der Webhook von ${product} an ${host} ist abgeschaltet`,
    failing: (host: string, product: string) =>
      `seit drei Tagen nimmt ${host} nicht an, was ${product} mitteilen will. Der Webhook ist abgeschaltet, und das Programm dahinter erfährt nichts mehr.`,
    gone: (host: string, product: string) =>
      `${host} hat geantwortet, dass es von ${product} nichts mehr hören will. Der Webhook ist abgeschaltet.`,
    todo: 'Die letzten Antworten stehen beim Webhook. Sobald der Empfänger wieder funktioniert, schalten Sie den Webhook ein; was ihm entging, kann von dort noch einmal gesendet werden.',
    open: 'Webhooks öffnen',
    closing: 'Diese Mail geht an alle in der Administration.',
  },
};

export function writeWebhookOffMail(language: MailLanguage, values: WebhookOffMailValues): Mail {
  const { host, why, site } = values;
  const words = texts[language];
  const opening = words[why](host, site.productName);
  return composeMail(language, values, {
    subject: words.subject(host, site.productName),
    preheader: opening,
    parts: [
      { paragraph: opening },
      { paragraph: words.todo },
      { link: `${site.publicUrl}/layout/settings/webhooks`, label: words.open },
    ],
    closing: words.closing,
  });
}
