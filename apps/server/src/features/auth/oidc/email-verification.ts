/**
 * Proof of an address by a code: where a provider does not vouch for the invited address, or that of somebody who moves, and is
 * configured to have it asked, six digits are mailed there. Whoever enters them binds their identity to the invitation, or to the person.
 * Where a provider does not tell whether it asked somebody again, they confirm by such a code that it is them.
 * Guessing is limited per invitation and person, whoever guesses.
 */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { findInvitation, isOpen, type InvitationRow } from '../../invitations/invitation-store.ts';
import { writeSignInCodeMail } from '../../mail/templates/sign-in-code.ts';
import { findLanguage, findPerson } from '../../people/people-store.ts';
import type { Actor, Codes, CodeUse } from '../email-codes/email-codes.ts';
import { findMoves, stateOf } from '../identity-migration/migration-store.ts';
import type { createOidcSignIn } from './oidc-sign-in.ts';
import type { Ended } from './complete-sign-in.ts';
import type { Transaction, Waiting } from './authorization-requests/request-row.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & { signIn: ReturnType<typeof createOidcSignIn> };

/** Whose address is proven: the invited one, or that of somebody who moves to another way to sign in, or confirms that it is them. */
type Addressee = {
  email: string;
  name: string;
  language: MailLanguage | null;
  /** Null for somebody who is inside. */
  invitation: InvitationRow | null;
};

/** What a code of a sign-in through a provider is for. */
export function proofOfInvitation(deps: Deps): CodeUse {
  const { database, transactions, now } = deps;
  // Nine guesses a day at one of a million: less than one chance in 100,000, from however many networks.
  const tries = createRateLimit(deps, {
    name: 'proof of an address',
    maximum: 9,
    windowSeconds: 86_400,
    shrinks: true,
  });
  const mails = createRateLimit(deps, perHour('mailed proof', 6));
  // Of somebody who is inside: each of their steps may need one.
  const confirmations = createRateLimit(deps, perHour('mailed confirmation', 20));

  /** Null when nobody waits, or what they came by has ended meanwhile. */
  async function findAddressee(transaction: Transaction): Promise<Addressee | null> {
    const { sealed, invitation_id: invitationId, person_id: personId, move_id: moveId } = transaction;
    if (!sealed) return null;
    if (invitationId !== null) {
      const invitation = await findInvitation(database, invitationId);
      return invitation && isOpen(invitation, now()) ? { ...invitation, invitation } : null;
    }
    if (personId === null) return null;
    const [person, [move]] = await Promise.all([
      findPerson(database, personId),
      moveId === null ? [] : findMoves(database, [moveId]),
    ]);
    const isWanted =
      transaction.purpose === 'confirm' || (move && ['waiting', 'opened'].includes(stateOf(move, now())));
    if (person?.status !== 'active' || !isWanted) return null;
    const language = await findLanguage(database, personId);
    return { email: person.email, name: person.display_name, language, invitation: null };
  }

  return {
    addressOf: async (transaction) => (await findAddressee(transaction))?.email ?? null,
    countGuess: (transaction) => tries.take(provenIdOf(transaction)),
    forgetGuess: (transaction) => tries.giveBack(provenIdOf(transaction)),

    async countMail(transaction, _origin, within) {
      const limit = transaction.purpose === 'confirm' ? confirmations : mails;
      assertWithinRateLimit(
        await limit.take(provenIdOf(transaction), 1, within),
        signInStartErrors.codesAsked,
      );
    },

    async complete(transaction, by) {
      const addressee = await findAddressee(transaction);
      const way = deps.signInMethods.find(({ id }) => id === transaction.way);
      // Of the same code in two tabs, one comes in.
      if (!addressee || !way || !(await transactions.end(transaction.state_hash, by.cookies)))
        throw fail(signInProblems.expired);
      const waiting = JSON.parse(deps.sessions.tokenEncryption.open(transaction.sealed as Buffer)) as Waiting;
      if (addressee.invitation) await deps.signIn.admitProven(way.id, waiting, addressee.invitation, by);
      else if (transaction.purpose === 'confirm')
        await deps.signIn.confirmProven(way.id, transaction, waiting, by);
      else await deps.signIn.moveProven(way, transaction, waiting, by);
      deps.recordProviderResult(way.id, null);
      return { returnTo: transaction.return_to, next: null };
    },

    async write(transaction, code) {
      const addressee = await findAddressee(transaction);
      if (!addressee) return null;
      const site = await deps.settings.current();
      return writeSignInCodeMail(addressee.language ?? site.mailLanguage, {
        to: { name: addressee.name, address: addressee.email },
        site: { ...site, publicUrl: deps.publicUrl },
        code,
        purpose: transaction.purpose,
      });
    },
  };
}

/** What guesses and mails are counted for, whoever makes them and however often they begin. */
const provenIdOf = ({ invitation_id: invitationId, person_id: personId }: Transaction) =>
  (invitationId ?? personId) as string;

/** Keeps who waits, and mails the first code. */
export async function beginProof(
  deps: Pick<Deps, 'mail' | 'sessions' | 'transactions'> & { codes: Codes },
  { name: provider }: { name: string },
  transaction: Transaction,
  { waiting }: Extract<Ended, { kind: 'proof' }>,
  by: Actor,
): Promise<void> {
  const { addressUnproven, askingUnknown } = signInProblems;
  if (!deps.mail.sends)
    throw fail(transaction.purpose === 'confirm' ? askingUnknown : addressUnproven, { values: { provider } });
  const sealed = deps.sessions.tokenEncryption.close(JSON.stringify(waiting));
  await deps.transactions.keepOutcome(transaction.state_hash, { kind: 'proof' }, sealed);
  await deps.codes.resendCode(transaction, by);
}
