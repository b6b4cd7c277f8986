/**
 * Proof of an address by a code: where a provider does not vouch for the invited address and is configured to have it asked, six digits
 * are mailed there, and whoever enters them binds their identity to the invitation. Guessing is limited per invitation, whoever guesses.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { Database } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { findInvitation, isOpen, type InvitationRow } from '../../invitations/invitation-store.ts';
import { writeSignInCodeMail } from '../../mail/templates/sign-in-code.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Codes, CodeUse } from '../codes/codes.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { createOidcSignIn, Ended } from './oidc-sign-in.ts';
import type { Transaction, Waiting } from './transaction-row.ts';
import type { Transactions } from './transactions.ts';
import type { NoteWay } from './way-notes.ts';

type Deps = {
  database: Database;
  mail: MailQueue;
  sessions: Sessions;
  transactions: Transactions;
  settings: SettingsStore;
  signIn: ReturnType<typeof createOidcSignIn>;
  noteWay: NoteWay;
  publicUrl: string;
  now: () => number;
};

/** What a code of a sign-in through a provider is for. */
export function proofOfInvitation(deps: Deps): CodeUse {
  const { database, transactions, now } = deps;
  // Nine guesses a day at one of a million: less than one chance in 100,000, from however many networks.
  const tries = createRateLimit(deps, { name: 'proof of an address', maximum: 9, windowSeconds: 86_400 });
  const mails = createRateLimit(deps, { name: 'mailed proof', maximum: 6, windowSeconds: 3_600 });
  const invitationIdOf = (transaction: Transaction) => transaction.invitation_id as string;

  async function findOpen({ sealed, invitation_id: id }: Transaction): Promise<InvitationRow | null> {
    const invitation = sealed && id !== null ? await findInvitation(database, id) : null;
    return invitation && isOpen(invitation, now()) ? invitation : null;
  }

  return {
    addressOf: async (transaction) => (await findOpen(transaction))?.email ?? null,
    countGuess: (transaction) => tries.take(invitationIdOf(transaction)),

    async countMail(transaction, _origin, within) {
      const retryAfterSeconds = await mails.take(invitationIdOf(transaction), 1, within);
      if (retryAfterSeconds > 0) throw fail(requestErrors.tooMany, { retryAfterSeconds });
    },

    async proven(transaction, by) {
      const invitation = await findOpen(transaction);
      // Of the same code in two tabs, one comes in.
      if (!invitation || !(await transactions.end(transaction.state_hash, by.cookies)))
        throw fail(signInProblems.expired);
      const waiting = JSON.parse(deps.sessions.seal.open(transaction.sealed as Buffer)) as Waiting;
      await deps.signIn.admitProven(transaction.way, waiting, invitation, by);
      deps.noteWay(transaction.way, null);
      return { returnTo: transaction.return_to, next: null };
    },

    async write(transaction, code) {
      const invitation = await findOpen(transaction);
      if (!invitation) return null;
      return writeSignInCodeMail(invitation.language, {
        to: { name: invitation.name, address: invitation.email },
        site: { ...(await deps.settings.current()), publicUrl: deps.publicUrl },
        code,
      });
    },
  };
}

/** Keeps who waits, and mails the first code. */
export async function beginProof(
  deps: Pick<Deps, 'mail' | 'sessions' | 'transactions'> & { codes: Codes },
  { name: provider }: { name: string },
  transaction: Transaction,
  { waiting }: Extract<Ended, { kind: 'proof' }>,
  origin: Origin,
): Promise<void> {
  if (!deps.mail.sends) throw fail(signInProblems.addressUnproven, { values: { provider } });
  const sealed = deps.sessions.seal.close(JSON.stringify(waiting));
  await deps.transactions.keepOutcome(transaction.state_hash, { kind: 'proof' }, sealed);
  await deps.codes.mailCode(transaction, origin);
}
