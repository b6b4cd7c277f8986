/**
 * E-mail verification of sign-ins through a provider: for new and migrating users whose address the provider does not verify, and for
 * confirmations if the provider omits `auth_time`. Guesses are limited per invitation and per person, from any browser.
 */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { type InvitationRow, findOpenInvitation } from '../../invitations/invitation-store.ts';
import { writeSignInCodeMail } from '../../mail/templates/sign-in-mails.ts';
import { findLanguage, findPerson } from '../../people/people-store.ts';
import {
  chosenMailLanguage,
  requestedMailLanguage,
  type BrowserContext,
  type EmailCodes,
  type CodeHandler,
} from '../email-codes/email-codes.ts';
import { findMigrations, migrationStateOf } from '../identity-migration/migration-store.ts';
import type { createOidcSignIn } from './oidc-sign-in.ts';
import { storeRequestOutcome, type AuthorizationRequest, type PendingVerification } from './request-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & { signIn: ReturnType<typeof createOidcSignIn> };

type Addressee = {
  email: string;
  name: string;
  /** Language that the person chose. */
  chosenLanguage: MailLanguage | null;
  language: MailLanguage | null;
  /** Null for confirmations and identity migrations. */
  invitation: InvitationRow | null;
};

export function createEmailVerification(deps: Deps): CodeHandler {
  const { database, authorizationRequests, now } = deps;
  const mails = createRateLimit(deps, perHour('mailed proof', 6));
  // A higher limit than for other mails, because each step of a signed-in user can need a confirmation.
  const confirmations = createRateLimit(deps, perHour('mailed confirmation', 20));

  const pendingOf = ({ sealed }: AuthorizationRequest) =>
    JSON.parse(deps.sessions.tokenEncryption.decrypt(sealed as Buffer)) as PendingVerification;

  /** Returns null if no verification is pending, or its invitation, person or migration has ended. */
  async function findAddressee(request: AuthorizationRequest): Promise<Addressee | null> {
    const {
      sealed: encrypted,
      invitation_id: invitationId,
      person_id: personId,
      move_id: migrationId,
    } = request;
    if (!encrypted) return null;
    if (invitationId !== null) {
      const invitation = await findOpenInvitation(database, invitationId, now());
      return invitation && { ...invitation, chosenLanguage: null, invitation };
    }
    if (personId === null) return null;
    const [person, [migration]] = await Promise.all([
      findPerson(database, personId),
      migrationId === null ? [] : findMigrations(database, [migrationId]),
    ]);
    const isPending =
      request.purpose === 'confirm' ||
      (migration && ['waiting', 'opened'].includes(migrationStateOf(migration, now())));
    if (person?.status !== 'active' || !isPending) return null;
    const language = await findLanguage(database, personId);
    return {
      email: person.email,
      name: person.display_name,
      chosenLanguage: chosenMailLanguage(person),
      language,
      invitation: null,
    };
  }

  return {
    addressOf: async (request) => (await findAddressee(request))?.email ?? null,

    async countMail(request, _origin, transaction) {
      const limit = request.purpose === 'confirm' ? confirmations : mails;
      const key = (request.invitation_id ?? request.person_id) as string;
      assertWithinRateLimit(await limit.take(key, 1, transaction), signInStartErrors.codesAsked);
    },

    async complete(request, context) {
      const addressee = await findAddressee(request);
      const method = await deps.findMethod(request.way);
      // Only one of several concurrent calls removes the request.
      if (!addressee || !method || !(await authorizationRequests.remove(request.state_hash, context.cookies)))
        throw fail(signInProblems.expired);
      const pending = pendingOf(request);
      if (addressee.invitation)
        await deps.signIn.provisionVerified(method.id, pending, addressee.invitation, context);
      else if (request.purpose === 'confirm')
        await deps.signIn.confirmVerified(method.id, request, pending, context);
      else await deps.signIn.migrateVerified(method, request, pending, context);
      deps.recordProviderResult(method.id, null);
      return { returnTo: request.return_to, next: null };
    },

    async write(request, code) {
      const addressee = await findAddressee(request);
      if (!addressee) return null;
      const site = await deps.settings.current();
      const { chosenLanguage, language } = addressee;
      return writeSignInCodeMail(
        chosenLanguage ?? pendingOf(request).language ?? language ?? site.mailLanguage,
        {
          to: { name: addressee.name, address: addressee.email },
          site: { ...site, publicUrl: deps.publicUrl },
          code,
          purpose: request.purpose,
        },
      );
    },
  };
}

/** Stores the pending verification and mails the first code. */
export async function startEmailVerification(
  deps: Pick<Deps, 'mail' | 'sessions' | 'database'> & { codes: EmailCodes },
  { name: provider }: { name: string },
  request: AuthorizationRequest,
  pending: PendingVerification,
  context: BrowserContext,
): Promise<void> {
  const { addressUnproven, askingUnknown } = signInProblems;
  if (!deps.mail.sends)
    throw fail(request.purpose === 'confirm' ? askingUnknown : addressUnproven, { values: { provider } });
  const encrypted = deps.sessions.tokenEncryption.encrypt(
    JSON.stringify({ ...pending, language: requestedMailLanguage(context) }),
  );
  await storeRequestOutcome(deps.database, request.state_hash, { kind: 'proof' }, encrypted);
  await deps.codes.resendCode(request, context);
}
