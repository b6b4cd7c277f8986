/** Mails about requests to join an organization. */
import { composeMessage, personOf, type MailValues } from './layout.ts';

type JoiningValues = MailValues & { organization: { name: string; slug: string } };

type RequestMailValues = JoiningValues & { requester: { name: string; address: string } };

/** To each manager. */
export const writeRequestMail = composeMessage<RequestMailValues>({
  en: ({ product, publicUrl, organization: { name, slug }, requester }) => ({
    subject: `${requester.address} asks to join ${name} (${product})`,
    parts: [
      `${personOf(requester)} has a verified address of one of your domains, and asks to join ${name} in ${product}. Approve or decline the request on the page “Members”.`,
      { link: `${publicUrl}/layout/organization/${slug}/members`, label: 'Open the members' },
    ],
    closing: `All managers of ${name} get this e-mail.`,
  }),
  de: ({ product, publicUrl, organization: { name, slug }, requester }) => ({
    subject: `${requester.address} möchte ${name} (${product}) beitreten`,
    parts: [
      `${personOf(requester)} hat eine bestätigte Adresse einer Ihrer Domains und möchte ${name} in ${product} beitreten. Auf der Seite „Mitglieder“ können Sie die Anfrage genehmigen oder ablehnen.`,
      { link: `${publicUrl}/layout/organization/${slug}/members`, label: 'Mitglieder öffnen' },
    ],
    closing: `Diese E-Mail geht an alle Manager von ${name}.`,
  }),
});

/** To a person with an account. A person without one gets an invitation. */
export const writeApprovalMail = composeMessage<JoiningValues>({
  en: ({ product, publicUrl, organization: { name, slug } }) => ({
    subject: `You are now a member of ${name} (${product})`,
    parts: [
      `A manager has approved your request: you are now a member of ${name} in ${product}.`,
      { link: `${publicUrl}/layout/organization/${slug}`, label: `Open ${product}` },
    ],
    closing: 'You asked to join by your e-mail address.',
  }),
  de: ({ product, publicUrl, organization: { name, slug } }) => ({
    subject: `Sie sind jetzt Mitglied von ${name} (${product})`,
    parts: [
      `Ihre Anfrage wurde genehmigt: Sie sind jetzt Mitglied von ${name} in ${product}.`,
      { link: `${publicUrl}/layout/organization/${slug}`, label: `${product} öffnen` },
    ],
    closing: 'Sie haben den Beitritt mit Ihrer E-Mail-Adresse angefragt.',
  }),
});

export const writeDeclineMail = composeMessage<JoiningValues>({
  en: ({ product, organization: { name } }) => ({
    subject: `Your request to join ${name} (${product}) was declined`,
    parts: [`The managers of ${name} in ${product} have declined your request to join.`],
    closing: 'If you think this is a mistake, ask them for an invitation.',
  }),
  de: ({ product, organization: { name } }) => ({
    subject: `Ihre Anfrage an ${name} (${product}) wurde abgelehnt`,
    parts: [`Ihre Anfrage, ${name} in ${product} beizutreten, wurde abgelehnt.`],
    closing: 'Wenn Sie das für einen Irrtum halten, bitten Sie einen Manager um eine Einladung.',
  }),
});
