/** Mails to one person about a change that is in the activity log, so their delivery is not recorded. */
import { MailLanguage } from '@vestibule/contract/settings/rules';
import { rowOf, type Database } from '../../platform/database/database.ts';
import type { Mail, MailTemplate } from '../../platform/mail/mail-queue.ts';
import type { MailSite, MailValues } from './templates/layout.ts';

export type MailDeps = {
  database: Database;
  settings: { current(): Promise<Omit<MailSite, 'publicUrl'> & { mailLanguage: MailLanguage }> };
  publicUrl: string;
};

type Recipient = { display_name: string; email: string; language: MailLanguage | null };

/** SQL of a person's mail language: the chosen one if mails have it, otherwise that of the person's invitation, otherwise null. */
export const languageOf = (personId: string) => `coalesce(
  (select recipient.language from people recipient
   where recipient.id = ${personId} and recipient.language = any('{${MailLanguage.options.join()}}')),
  (select language from invitations where id = (
    select target_id::uuid from audit_log
    where actor_id = ${personId} and action = 'invitation.redeemed' order by id limit 1)))`;

/**
 * Template of a mail to the person in the row that `text` selects; no mail if there is none, because the reason no longer exists.
 * The words of the subject id are the values of the statement.
 */
export const mailFromRow = <Row>(
  { database, settings, publicUrl }: MailDeps,
  text: string,
  write: (language: MailLanguage, values: MailValues, row: Row) => Mail,
): MailTemplate => ({
  async write(subjectId) {
    const row = await rowOf<Row & Recipient>(database, { text, values: subjectId.split(' ') });
    if (!row) return null;
    const site = await settings.current();
    const values = { to: { name: row.display_name, address: row.email }, site: { ...site, publicUrl } };
    return write(row.language ?? site.mailLanguage, values, row);
  },
});
