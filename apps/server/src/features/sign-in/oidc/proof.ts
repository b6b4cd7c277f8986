/**
 * Proof of an address by a code: where a provider does not vouch for the invited address and is configured to have it asked, six digits
 * are mailed there, and whoever enters them binds their identity to the invitation. Guessing is limited per invitation, whoever guesses.
 */
import type { SignInWay } from '@vestibule/contract/configuration';
import { requestErrors } from '@vestibule/contract/request-errors';
import {
  proofTries,
  proveAddress,
  resendProof,
  signInProblems,
  signInStartErrors,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import type { Database } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { findInvitation, isOpen, type InvitationRow } from '../../invitations/invitation-store.ts';
import type { MailQueue, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writeSignInCodeMail } from '../../mail/templates/sign-in-code.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { createOidcSignIn, Ended } from './oidc-sign-in.ts';
import { transactionMs, type Transaction, type Transactions, type Waiting } from './transactions.ts';
import type { NoteWay } from './way-notes.ts';

export const signInCodeMailName = 'sign-in-code';
const betweenMailsMs = 60_000;
/** Of one sign-in. */
const mailsAtMost = 5;

export type Proofs = ReturnType<typeof createProofs>;

type Deps = {
  database: Database;
  mail: MailQueue;
  sessions: Sessions;
  transactions: Transactions;
  signIn: ReturnType<typeof createOidcSignIn>;
  noteWay: NoteWay;
  now: () => number;
};

export function createProofs(deps: Deps) {
  const { database, transactions, now } = deps;
  // Nine guesses a day at one of a million: less than one chance in 100,000, from however many networks.
  const tries = createRateLimit(deps, { name: 'proof of an address', maximum: 9, windowSeconds: 86_400 });
  const mails = createRateLimit(deps, { name: 'mailed proof', maximum: 6, windowSeconds: 3_600 });

  return {
    /** Keeps who waits, and mails the first code. */
    async begin(
      { name: provider }: { name: string },
      transaction: Transaction,
      { waiting, invitation }: Extract<Ended, { kind: 'proof' }>,
    ): Promise<void> {
      if (!deps.mail.sends) throw fail(signInProblems.addressUnproven, { values: { provider } });
      const sealed = deps.sessions.seal.close(JSON.stringify(waiting));
      await transactions.keepOutcome(transaction.state_hash, { kind: 'proof' }, sealed);
      await mailCode(transaction.state_hash, invitation.id);
    },

    routes(): Implementation[] {
      return [
        implement(proveAddress, async ({ body, cookies, origin }) => {
          const { transaction, invitation, waiting } = await requireWaiting(body.attempt, cookies);
          refuseFor(await tries.take(invitation.id));
          const mailsSent = await takeTry(transaction.state_hash);
          // Either all tries are spent, or another tab was quicker with the right one.
          if (mailsSent === null)
            throw fail(
              (await transactions.find(body.attempt, cookies))
                ? signInStartErrors.codeSpent
                : signInProblems.expired,
            );
          if (!transactions.isCode(transaction.state_hash, mailsSent, body.code))
            throw fail(signInStartErrors.codeWrong);
          // Of the same code in two tabs, one comes in.
          if (!(await transactions.end(transaction.state_hash, cookies))) throw fail(signInProblems.expired);
          await deps.signIn.admitProven(transaction.way, waiting, invitation, { cookies, origin });
          deps.noteWay(transaction.way, null);
          return { returnTo: transaction.return_to };
        }),

        implement(resendProof, async ({ body, cookies }) => {
          const { transaction, invitation } = await requireWaiting(body.attempt, cookies);
          const wait = resendInSeconds(transaction, now());
          if (wait !== 0) throw fail(requestErrors.tooMany, { retryAfterSeconds: wait ?? 3_600 });
          await mailCode(transaction.state_hash, invitation.id);
          return {
            resendInSeconds: transaction.proof_mails + 1 >= mailsAtMost ? null : betweenMailsMs / 1000,
          };
        }),
      ];
    },
  };

  /** The newest mail has the code: the number of the mail is part of what it is derived from, and tries begin anew. */
  async function mailCode(hash: Buffer, invitationId: string): Promise<void> {
    await database.transaction(async (transaction) => {
      refuseFor(await mails.take(invitationId, 1, transaction));
      const { rowCount } = await transaction.query({
        text: `update sign_in_transactions set proof_mails = proof_mails + 1, proof_mailed_at = $2, proof_tries = 0
               where state_hash = $1 and proof_mails < ${mailsAtMost} and (proof_mailed_at is null or proof_mailed_at <= $3)`,
        values: [hash, new Date(now()), new Date(now() - betweenMailsMs)],
      });
      if (rowCount !== 1) throw fail(requestErrors.tooMany, { retryAfterSeconds: betweenMailsMs / 1000 });
      await deps.mail.queue(transaction, [
        { template: signInCodeMailName, subjectId: hash.toString('base64url') },
      ]);
    });
  }

  /** Counted before it is compared, so that many at once are no more than allowed. Null when none is left. */
  async function takeTry(hash: Buffer): Promise<number | null> {
    const { rows } = await database.query<{ mails: number }>({
      text: `update sign_in_transactions set proof_tries = proof_tries + 1
             where state_hash = $1 and proof_tries < ${proofTries} returning proof_mails as mails`,
      values: [hash],
    });
    return rows[0]?.mails ?? null;
  }

  async function requireWaiting(
    attempt: string,
    cookies: Cookies,
  ): Promise<{ transaction: Transaction; invitation: InvitationRow; waiting: Waiting }> {
    const transaction = await transactions.find(attempt, cookies);
    const invitation = await findProofInvitation(deps, transaction);
    if (!transaction?.sealed || !invitation) throw fail(signInProblems.expired);
    return {
      transaction,
      invitation,
      waiting: JSON.parse(deps.sessions.seal.open(transaction.sealed)) as Waiting,
    };
  }
}

/** What the screen for the code shows; null when the invitation has ended meanwhile. */
export async function describeProof(
  deps: { database: Database; now: () => number },
  transaction: Transaction,
  way: SignInWay,
): Promise<SignInOutcome | null> {
  const invitation = await findProofInvitation(deps, transaction);
  if (!invitation) return null;
  return {
    kind: 'proof',
    way,
    purpose: transaction.purpose,
    maskedEmail: mask(invitation.email),
    resendInSeconds: resendInSeconds(transaction, deps.now()),
  };
}

/** The mail with the code. Written when it is sent: the code is that of the newest mail, and of none once all has ended. */
export function signInCodeMail(deps: {
  database: Database;
  transactions: Pick<Transactions, 'codeOf'>;
  settings: SettingsStore;
  publicUrl: string;
  now: () => number;
}): MailTemplate {
  const { database, now } = deps;
  return {
    async write(attempt) {
      const hash = Buffer.from(attempt, 'base64url');
      const { rows } = await database.query<Transaction>({
        text: `select invitation_id, outcome, proof_mails from sign_in_transactions where state_hash = $1 and created_at > $2`,
        values: [hash, new Date(now() - transactionMs)],
      });
      const [transaction] = rows;
      const invitation = await findProofInvitation(deps, transaction ?? null);
      if (!transaction || !invitation) return null;
      return writeSignInCodeMail(invitation.language, {
        to: { name: invitation.name, address: invitation.email },
        site: { ...(await deps.settings.current()), publicUrl: deps.publicUrl },
        code: deps.transactions.codeOf(hash, transaction.proof_mails),
      });
    },
    // Whoever waits for it asks for another one.
    sent: () => Promise.resolve(),
    failed: () => Promise.resolve(),
  };
}

async function findProofInvitation(
  { database, now }: { database: Database; now: () => number },
  transaction: Pick<Transaction, 'outcome' | 'invitation_id'> | null,
): Promise<InvitationRow | null> {
  if (transaction?.outcome?.kind !== 'proof' || transaction.invitation_id === null) return null;
  const invitation = await findInvitation(database, transaction.invitation_id);
  return invitation && isOpen(invitation, now()) ? invitation : null;
}

/** Null when no further one is sent. */
function resendInSeconds(
  { proof_mails: sent, proof_mailed_at: at }: Transaction,
  now: number,
): number | null {
  if (sent >= mailsAtMost) return null;
  return Math.max(0, Math.ceil(((at?.getTime() ?? 0) + betweenMailsMs - now) / 1000));
}

/** Enough to know one's own address by. */
function mask(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}••${email.slice(at)}`;
}

function refuseFor(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw fail(requestErrors.tooMany, { retryAfterSeconds });
}
