/** Registers, stores and deletes passkeys, with the audit row and the mail in the same transaction. */
import { signInProblems } from '@vestibule/contract/sign-in';
import { passkeyErrors } from '@vestibule/contract/sign-in/passkeys';
import { personAudit } from '../../../platform/audit/audit-log.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail, onUniqueViolation } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import type { MailJob, MailQueue, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import type { RegistrationResponse } from '@vestibule/contract/sign-in/web-authn';
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import type { AuthorizationRequest } from '../oidc/request-store.ts';
import type { SignInContext } from '../sign-in-context.ts';
import { defaultPasskeyName, type Authenticator } from './authenticator.ts';
import { type PasskeyRow, insertAdditionalPasskey, insertPasskey, type NewPasskey } from './passkey-store.ts';
import { writePasskeyMail, type PasskeyNotification } from '../../mail/templates/sign-in-mails.ts';
import type { MailDeps } from '../../mail/mail-from-row.ts';
import { mailToPerson } from '../../people/person-mail.ts';

const passkeyAddedMailName = 'passkey-added';
export const passkeyRenamedMailName = 'passkey-renamed';
export const passkeyRemovedMailName = 'passkey-removed';

/** The job contains the current name, because the passkey may be deleted before the mail is written. */
export const passkeyMailJob = (template: string, personId: string, name: string): MailJob => ({
  template,
  subjectId: `${personId} ${name}`,
});

type RegistrationDeps = Pick<SignInContext, 'authorizationRequests' | 'sessions' | 'settings' | 'newId'> & {
  authenticator: Authenticator;
};

/**
 * Starts a registration. Returns the options for the browser and the id that `finishRegistration` expects. `subject` is stored encrypted;
 * its `handle` is null for a user without passkeys. `existing` are the user's passkeys: pass them only for authenticated users.
 */
export async function startRegistration<Subject extends { handle: string | null }>(
  { authenticator, authorizationRequests, sessions, settings }: RegistrationDeps,
  request: { returnTo: string; invitationId: string | null },
  user: { subject: Subject; email: string; name: string; existing: PasskeyRow[] },
  cookies: Cookies,
) {
  const { subject, ...shown } = user;
  const hash = await authorizationRequests.createLocal(
    {
      ...request,
      way: passkeyMethod,
      outcome: { kind: 'passkey' },
      sealed: sessions.tokenEncryption.encrypt(JSON.stringify(subject)),
    },
    cookies,
  );
  const options = await authenticator.creationOptions({
    ...shown,
    productName: (await settings.current()).productName,
    handle: subject.handle ?? authorizationRequests.handleOf(hash),
    challenge: authorizationRequests.challengeOf(hash),
  });
  return { attempt: hash.toString('base64url'), options };
}

/** Verifies the response. Each registration can be finished once. Throws unless `isValid` accepts the stored subject. */
export async function finishRegistration<Subject extends { handle: string | null }>(
  { authenticator, authorizationRequests, sessions, newId }: RegistrationDeps,
  { attempt, response }: { attempt: string; response: RegistrationResponse },
  { cookies, origin }: BrowserContext,
  isValid: (subject: Partial<Subject>) => boolean,
): Promise<{ request: AuthorizationRequest; subject: Subject; handle: string; passkey: NewPasskey }> {
  const request = await authorizationRequests.claimPasskey(attempt, cookies);
  const subject =
    request?.sealed && (JSON.parse(sessions.tokenEncryption.decrypt(request.sealed)) as Subject);
  if (!request || !subject || !isValid(subject)) throw fail(signInProblems.expired);
  const passkey = await authenticator.register(
    response,
    authorizationRequests.challengeOf(request.state_hash),
    { id: newId(), name: (aaguid) => defaultPasskeyName(aaguid, origin.userAgent) },
  );
  const handle = subject.handle ?? authorizationRequests.handleOf(request.state_hash);
  return { request, subject, handle, passkey };
}

type Person = { id: string; email: string };
type PasskeyCreation = { passkey: NewPasskey; person: Person; origin: Origin; at: Date };

export async function storeFirstPasskey(
  mail: MailQueue,
  transaction: Queryable,
  { passkey, person, origin, at }: PasskeyCreation,
): Promise<void> {
  await Promise.all([
    insertPasskey(transaction, { ...passkey, personId: person.id }, at),
    recordAndNotify(mail, transaction, { passkey, person, origin }),
  ]);
}

export async function storePasskey(
  mail: MailQueue,
  transaction: Queryable,
  creation: PasskeyCreation & { handle: string; requestedAt: Date },
): Promise<void> {
  await insertAdditionalPasskey(transaction, { ...creation, personId: creation.person.id });
  await recordAndNotify(mail, transaction, creation);
}

async function recordAndNotify(
  mail: MailQueue,
  transaction: Queryable,
  { passkey, person, origin }: Pick<PasskeyCreation, 'passkey' | 'person' | 'origin'>,
): Promise<void> {
  await Promise.all([
    recordPasskey(transaction, 'passkey.added', person, passkey.name, origin),
    mail.queue(transaction, [passkeyMailJob(passkeyAddedMailName, person.id, passkey.name)]),
  ]);
}

export const recordPasskey = (
  transaction: Queryable,
  action: 'passkey.added' | 'passkey.renamed' | 'passkey.removed',
  person: Person,
  name: string,
  origin: Origin,
): Promise<unknown> => personAudit.record(transaction, person, action, { caller: person, origin }, { name });

export const rejectKnownPasskey = onUniqueViolation('passkeys_pkey', passkeyErrors.alreadyThere);

export const signInResetMailName = 'sign-in-reset';

/** The subject of a job is a person's id, followed by the name of the passkey except for removals and resets. */
export function passkeyMails(deps: MailDeps): Record<string, MailTemplate> {
  const mail = (createNews: (name: string) => PasskeyNotification) =>
    mailToPerson(deps, (language, values, _person, name) =>
      writePasskeyMail(language, { ...values, news: createNews(name) }),
    );
  return {
    [passkeyAddedMailName]: mail((name) => ({ kind: 'added', name })),
    [passkeyRenamedMailName]: mail((name) => ({ kind: 'renamed', name })),
    [passkeyRemovedMailName]: mail(() => ({ kind: 'removed' })),
    [signInResetMailName]: mail(() => ({ kind: 'reset' })),
  };
}
