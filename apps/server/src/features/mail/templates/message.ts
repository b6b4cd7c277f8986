/** A mail of paragraphs and one link, as most are, from what it says in each language. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailPart, type MailValues } from './layout.ts';

/** Lists of mails show the first paragraph after the subject. `label` is that of the link. */
type Said = { subject: string; paragraphs: [string, ...string[]]; label?: string; closing: string };

export function composeMessage<Values extends MailValues>(
  said: Record<MailLanguage, (values: Values) => Said>,
  linkOf?: (values: Values) => string,
) {
  return (language: MailLanguage, values: Values): Mail => {
    const { subject, paragraphs, label = '', closing } = said[language](values);
    const parts: MailPart[] = paragraphs.map((paragraph) => ({ paragraph }));
    if (linkOf) parts.push({ link: linkOf(values), label });
    return composeMail(language, values, { subject, preheader: paragraphs[0], parts, closing });
  };
}
