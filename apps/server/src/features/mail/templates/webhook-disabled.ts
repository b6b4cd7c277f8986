import type { MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

export const writeWebhookDisabledMail = composeMessage<
  MailValues & { host: string; reason: 'failing' | 'gone' }
>(
  {
    en: ({ site: { productName: product }, host, reason }) => ({
      subject: `The webhook from ${product} to ${host} was turned off`,
      paragraphs: [
        reason === 'failing'
          ? `For three days, ${host} has not accepted any events from ${product}. The webhook was turned off, and the program behind it gets no events.`
          : `${host} has unsubscribed from ${product}. The webhook was turned off.`,
        'The latest responses are listed with the webhook. Once the receiver works again, turn the webhook on. You can resend missed events from there.',
      ],
      label: 'Open the webhooks',
      closing: 'All administrators get this e-mail.',
    }),
    de: ({ site: { productName: product }, host, reason }) => ({
      subject: `Der Webhook von ${product} an ${host} ist abgeschaltet`,
      paragraphs: [
        reason === 'failing'
          ? `seit drei Tagen nimmt ${host} nicht an, was ${product} mitteilen will. Der Webhook ist abgeschaltet, und das Programm dahinter erfährt nichts mehr.`
          : `${host} hat geantwortet, dass es von ${product} nichts mehr hören will. Der Webhook ist abgeschaltet.`,
        'Die letzten Antworten stehen beim Webhook. Sobald der Empfänger wieder funktioniert, schalten Sie den Webhook ein; was ihm entging, kann von dort noch einmal gesendet werden.',
      ],
      label: 'Webhooks öffnen',
      closing: 'Diese Mail geht an alle in der Administration.',
    }),
  },
  ({ site }) => `${site.publicUrl}/layout/settings/webhooks`,
);
