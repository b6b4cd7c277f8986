/** Composes mails of paragraphs and one link. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailBlock, type MailValues } from './layout.ts';

/** `label` is the text of the link. */
type MessageTexts = { subject: string; paragraphs: [string, ...string[]]; label?: string; closing: string };

export function composeMessage<Values extends MailValues>(
  textsByLanguage: Record<MailLanguage, (values: Values) => MessageTexts>,
  linkOf?: (values: Values) => string,
) {
  return (language: MailLanguage, values: Values): Mail => {
    const { subject, paragraphs, label = '', closing } = textsByLanguage[language](values);
    const parts: MailBlock[] = paragraphs.map((paragraph) => ({ paragraph }));
    if (linkOf) parts.push({ link: linkOf(values), label });
    return composeMail(language, values, { subject, preheader: paragraphs[0], parts, closing });
  };
}
