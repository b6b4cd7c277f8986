import type { MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writePasskeyMail, type PasskeyNotification } from '../../mail/templates/sign-in-mails.ts';
import { mailToPerson, type PersonMailDeps } from '../../people/person-mail.ts';
import { passkeyAddedMailName, passkeyRemovedMailName, passkeyRenamedMailName } from './passkey-changes.ts';

export const signInResetMailName = 'sign-in-reset';

export function passkeyMails(deps: PersonMailDeps): Record<string, MailTemplate> {
  return {
    [passkeyAddedMailName]: passkeyMail(deps, (name) => ({ kind: 'added', name })),
    [passkeyRenamedMailName]: passkeyMail(deps, (name) => ({ kind: 'renamed', name })),
    [passkeyRemovedMailName]: passkeyMail(deps, () => ({ kind: 'removed' })),
    [signInResetMailName]: passkeyMail(deps, () => ({ kind: 'reset' })),
  };
}

/** The subject of the mail job is a person's id, followed by the name of the passkey except for removals and resets. */
function passkeyMail(deps: PersonMailDeps, createNews: (name: string) => PasskeyNotification): MailTemplate {
  return mailToPerson(deps, (language, values, _person, name) =>
    writePasskeyMail(language, { ...values, news: createNews(name) }),
  );
}
