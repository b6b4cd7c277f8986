/** Mails about requests to join: to the managers, and to the person who asked (R7). */
import type { MailTemplate } from '../../platform/mail/mail-queue.ts';
import { languageOf, mailFromRow, type MailDeps } from '../mail/mail-from-row.ts';
import { writeApprovalMail, writeDeclineMail, writeRequestMail } from '../mail/templates/joining-mails.ts';

type Row = { name: string; slug: string; requester_name: string; requester_email: string };

export function requestMails(deps: MailDeps): Record<string, MailTemplate> {
  const template = (text: string, write: typeof writeRequestMail): MailTemplate =>
    mailFromRow<Row>(deps, text, (language, values, row) =>
      write(language, {
        ...values,
        organization: { name: row.name, slug: row.slug },
        requester: { name: row.requester_name, address: row.requester_email },
      }),
    );

  return {
    'membership-request': template(
      `select organizations.name, slug, people.display_name, people.email, ${languageOf('people.id')} as language,
         request.display_name as requester_name, request.email as requester_email
       from membership_requests request join organizations on organizations.id = request.organization_id
         join memberships on memberships.organization_id = organizations.id and memberships.role_id = 'manager'
         join people on people.id = memberships.person_id and people.status = 'active'
       where request.id = $1 and people.id = $2 and request.status = 'pending'`,
      writeRequestMail,
    ),
    'membership-approved': template(
      `select name, slug, display_name, email, ${languageOf('people.id')} as language, '' as requester_name, '' as requester_email
       from memberships join organizations on organizations.id = organization_id join people on people.id = person_id
       where organization_id = $1 and person_id = $2 and people.status = 'active'`,
      writeApprovalMail,
    ),
    'membership-declined': template(
      `select name, slug, request.display_name, request.email, ${languageOf('people.id')} as language, '' as requester_name, '' as requester_email
       from membership_requests request join organizations on organizations.id = organization_id
         left join people using (email_canonical)
       where request.id = $1 and request.status = 'declined'`,
      writeDeclineMail,
    ),
  };
}
