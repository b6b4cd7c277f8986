/**
 * Codes of six digits that prove an address: mailed, entered in the browser that asked, and compared in constant time. What a code is
 * for, where it goes and how often it may be tried is a matter of its use: oidc/email-verification.ts and email-codes/code-store.ts.
 */
import type { SignInMethod } from '@vestibule/contract/configuration';
import { requestErrors } from '@vestibule/contract/request-errors';
import {
  verificationAttempts,
  verifyEmail,
  resendVerificationCode,
  signInProblems,
  signInStartErrors,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import type { RouteBody, RouteResult } from '@vestibule/contract/route';
import { execute, rowOf, type Queryable } from '../../../platform/database/database.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import type { Mail, MailQueue, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import type { Transaction } from '../oidc/authorization-requests/request-row.ts';
import { prolong } from '../oidc/authorization-requests/request-store.ts';
import type { SignInKit } from '../sign-in-context.ts';

export const signInCodeMailName = 'sign-in-code';
export const betweenMailsMs = 60_000;
/** Of one sign-in. */
const mailsAtMost = 5;

export type Actor = { cookies: Cookies; origin: Origin };

/** What codes of one kind are for. */
export type CodeUse = {
  /** The address that the code goes to, for its owner to know it by; null when nobody waits for it any more. */
  addressOf(transaction: Transaction): Promise<string | null>;
  /** Counts a mail that is asked for, within the transaction that queues it, and throws when there were too many. */
  countMail(transaction: Transaction, origin: Origin, within: Queryable): Promise<void>;
  /** The seconds until one more code may be tried; 0 counts it as tried. */
  countGuess(transaction: Transaction): Promise<number>;
  /** It was right, so it was no guess. */
  forgetGuess(transaction: Transaction): Promise<void>;
  /** What becomes of whoever entered the code. Ends the transaction, or throws where somebody else was quicker. */
  proven(transaction: Transaction, by: Actor): Promise<RouteResult<typeof verifyEmail>>;
  /** The mail; null where none is sent. */
  write(transaction: Transaction, code: string): Promise<Mail | null>;
};

export type Codes = ReturnType<typeof createCodes>;

export function createCodes(
  /** `useOf` goes by the way that a sign-in goes. */
  deps: SignInKit & { useOf: (way: string) => CodeUse },
) {
  const { database, transactions, useOf, now } = deps;

  return {
    mailCode,
    enter,

    routes: (): Implementation[] => [
      implement(verifyEmail, async ({ body, cookies, origin }) => {
        const transaction = await enter(body, cookies);
        return useOf(transaction.way).proven(transaction, { cookies, origin });
      }),

      implement(resendVerificationCode, async ({ body, cookies, origin }) => {
        const transaction = await requireWaiting(body.attempt, cookies);
        const wait = resendInSeconds(transaction, now());
        if (wait === null) throw fail(signInStartErrors.codesMailed);
        assertWithinRateLimit(wait);
        await mailCode(transaction, { cookies, origin });
        return {
          resendInSeconds: transaction.proof_mails + 1 >= mailsAtMost ? null : betweenMailsMs / 1000,
        };
      }),
    ],

    /** What the screen for the code shows; null when nobody waits for it any more. */
    async describe(transaction: Transaction, way: SignInMethod): Promise<SignInOutcome | null> {
      const address = await useOf(transaction.way).addressOf(transaction);
      if (address === null) return null;
      const wait = resendInSeconds(transaction, now());
      const { purpose } = transaction;
      return { kind: 'proof', way, purpose, maskedEmail: mask(address), resendInSeconds: wait };
    },

    /** The mail with the code. Written when it is sent: the code is that of the newest mail, and of none once all has ended. */
    template: (): MailTemplate => ({
      async write(attempt) {
        const transaction = await transactions.read(Buffer.from(attempt, 'base64url'));
        if (transaction?.outcome?.kind !== 'proof') return null;
        const code = transactions.codeOf(transaction.state_hash, transaction.proof_mails);
        return useOf(transaction.way).write(transaction, code);
      },
      // Whoever waits for it asks for another one.
      sent: () => Promise.resolve(),
      failed: () => Promise.resolve(),
    }),
  };

  /** The newest mail has the code: the number of the mail is part of what it is derived from; tries and its time begin anew. */
  async function mailCode(waiting: Transaction, { cookies, origin }: Actor): Promise<void> {
    const { state_hash: hash } = waiting;
    await database.transaction(async (transaction) => {
      await useOf(waiting.way).countMail(waiting, origin, transaction);
      const rowCount = await execute(transaction, {
        text: `update sign_in_transactions set proof_mails = proof_mails + 1, proof_mailed_at = $2, created_at = $2, proof_tries = 0
               where state_hash = $1 and proof_mails < ${mailsAtMost} and (proof_mailed_at is null or proof_mailed_at <= $3)`,
        values: [hash, new Date(now()), new Date(now() - betweenMailsMs)],
      });
      if (rowCount !== 1) throw fail(requestErrors.tooMany, { retryAfterSeconds: betweenMailsMs / 1000 });
      await queueCodeMails(deps.mail, transaction, [hash]);
    });
    prolong(hash, cookies);
  }

  /** The sign-in whose newest code this is; it has not ended yet. */
  async function enter(
    { attempt, code, key = '' }: RouteBody<typeof verifyEmail>,
    cookies: Cookies,
  ): Promise<Transaction> {
    const transaction = await requireWaiting(attempt, cookies);
    const { state_hash: hash } = transaction;
    // Too long to be guessed, so not counted: whoever has the mail comes in, however many wrong codes others have entered.
    if (transactions.isKey(hash, transaction.proof_mails, key)) return transaction;
    const mails = await takeTry(hash);
    if (mails === null)
      throw fail((await transactions.read(hash)) ? signInStartErrors.codeSpent : signInProblems.expired);
    assertWithinRateLimit(
      await useOf(transaction.way).countGuess(transaction),
      signInStartErrors.codeGuessed,
    );
    if (!transactions.isCode(hash, mails, code)) throw fail(signInStartErrors.codeWrong);
    await useOf(transaction.way).forgetGuess(transaction);
    return transaction;
  }

  /** Counted before it is compared, so that many at once are no more than allowed. Null when none is left. */
  async function takeTry(hash: Buffer): Promise<number | null> {
    const found = await rowOf<{ mails: number }>(database, {
      text: `update sign_in_transactions set proof_tries = proof_tries + 1
             where state_hash = $1 and proof_tries < ${verificationAttempts} returning proof_mails as mails`,
      values: [hash],
    });
    return found?.mails ?? null;
  }

  async function requireWaiting(attempt: string, cookies: Cookies): Promise<Transaction> {
    const transaction = await transactions.find(attempt, cookies);
    if (transaction?.outcome?.kind !== 'proof' || !(await useOf(transaction.way).addressOf(transaction)))
      throw fail(signInProblems.expired);
    return transaction;
  }
}

/** Puts the mails with the codes of sign-ins into the outbox. */
export const queueCodeMails = (mail: MailQueue, transaction: Queryable, hashes: Buffer[]): Promise<void> =>
  mail.queue(
    transaction,
    hashes.map((hash) => ({ template: signInCodeMailName, subjectId: hash.toString('base64url') })),
  );

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
