/** Six-digit codes that verify an address, compared in constant time. A CodeHandler defines their recipients, limits and effect. */
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
import { acceptedLanguages, languageCookie, matchLanguage } from '@vestibule/contract/rules/language';
import { MailLanguage } from '@vestibule/contract/settings/rules';
import type { RouteBody, RouteResult } from '@vestibule/contract/route';
import type { FastifyBaseLogger } from 'fastify';
import { execute, rawSql, scalarOf, type Queryable } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import type { Mail, MailQueue, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { type AuthorizationRequest, extendRequestCookie } from '../oidc/request-store.ts';
import type { SignInContext } from '../sign-in-context.ts';
import { guessedCodesLimit } from './code-limits.ts';
import { recordBlockedCodes, recordFailedCodeMail } from './code-subject.ts';

export const signInCodeMailName = 'sign-in-code';
export const mailIntervalMs = 60_000;
/** Per sign-in. */
const mailsMaximum = 5;

export type BrowserContext = { cookies: Cookies; origin: Origin };

export type CodeHandler = {
  /** Recipient of the code; null if the sign-in is no longer valid. */
  addressOf(request: AuthorizationRequest): Promise<string | null>;
  /** Counts a requested mail in the transaction that queues it. Throws if the limit is reached. */
  countMail(request: AuthorizationRequest, origin: Origin, transaction: Queryable): Promise<void>;
  /** Completes the sign-in after the code was entered. Throws if it was completed already. */
  complete(request: AuthorizationRequest, browser: BrowserContext): Promise<RouteResult<typeof verifyEmail>>;
  write(request: AuthorizationRequest, code: string): Promise<Mail | null>;
};

export type EmailCodes = ReturnType<typeof createEmailCodes>;

export function createEmailCodes(deps: SignInContext & { handlerOf: (method: string) => CodeHandler }) {
  const { database, authorizationRequests, handlerOf, now } = deps;
  const guesses = createRateLimit(deps, guessedCodesLimit);

  return {
    resendCode,
    enter: verifyCode,

    routes: (): Implementation[] => [
      implement(verifyEmail, async ({ body, cookies, origin, log }) => {
        const request = await verifyCode(body, { cookies, origin, log });
        return handlerOf(request.way).complete(request, { cookies, origin });
      }),

      implement(resendVerificationCode, async ({ body, cookies, origin }) => {
        const request = await requirePending(body.attempt, cookies);
        const waitSeconds = resendInSeconds(request, now());
        if (waitSeconds === null) throw fail(signInStartErrors.codesMailed);
        assertWithinRateLimit(waitSeconds);
        await resendCode(request, { cookies, origin });
        return { resendInSeconds: request.proof_mails + 1 >= mailsMaximum ? null : mailIntervalMs / 1000 };
      }),
    ],

    async describe(request: AuthorizationRequest, method: SignInMethod): Promise<SignInOutcome | null> {
      const address = await handlerOf(request.way).addressOf(request);
      if (address === null) return null;
      const waitSeconds = resendInSeconds(request, now());
      const { purpose } = request;
      return {
        kind: 'proof',
        way: method,
        purpose,
        maskedEmail: maskAddress(address),
        resendInSeconds: waitSeconds,
      };
    },

    /** Computes the code when the mail is sent, so that the mail contains the newest one. Writes no mail after the sign-in has ended. */
    mailTemplate: (): MailTemplate => ({
      async write(attempt) {
        const request = await authorizationRequests.read(Buffer.from(attempt, 'base64url'));
        if (request?.outcome?.kind !== 'proof') return null;
        const code = authorizationRequests.codeOf(request.state_hash, request.proof_mails);
        return handlerOf(request.way).write(request, code);
      },
      async failed(attempt, error) {
        const request = await authorizationRequests.read(Buffer.from(attempt, 'base64url'));
        if (request) await recordFailedCodeMail(deps, request, error);
      },
    }),
  };

  /** Resets attempts and expiry. Codes are derived from the number of mails, so earlier codes become invalid. */
  async function resendCode(
    request: AuthorizationRequest,
    { cookies, origin }: BrowserContext,
  ): Promise<void> {
    const { state_hash: hash } = request;
    await database.transaction(async (transaction) => {
      await handlerOf(request.way).countMail(request, origin, transaction);
      const at = new Date(now());
      const rowCount = await execute(transaction)`
        update sign_in_transactions set proof_mails = proof_mails + 1, proof_mailed_at = ${at}, created_at = ${at},
          proof_tries = 0
        where state_hash = ${hash} and proof_mails < ${rawSql(mailsMaximum)}
          and (proof_mailed_at is null or proof_mailed_at <= ${new Date(now() - mailIntervalMs)})`;
      if (rowCount !== 1) throw fail(requestErrors.tooMany, { retryAfterSeconds: mailIntervalMs / 1000 });
      await queueCodeMail(deps.mail, transaction, hash);
    });
    extendRequestCookie(hash, cookies);
  }

  async function verifyCode(
    { attempt, code, key = '' }: RouteBody<typeof verifyEmail>,
    { cookies, origin, log }: BrowserContext & { log: FastifyBaseLogger },
  ): Promise<AuthorizationRequest> {
    const request = await requirePending(attempt, cookies);
    const { state_hash: hash } = request;
    // Attempts with the key of the link are not limited, because the key is too long to guess. Wrong guesses by others
    // therefore cannot block the link.
    if (authorizationRequests.isLinkKey(hash, request.proof_mails, key)) return request;
    const mails = await countAttempt(database, hash);
    if (mails === null)
      throw fail(
        (await authorizationRequests.read(hash)) ? signInStartErrors.codeSpent : signInProblems.expired,
      );
    // Across browsers and sign-ins. Only wrong guesses count.
    const guessKey = (request.address ?? request.invitation_id ?? request.person_id) as string;
    const { waitSeconds, isLast } = await guesses.takeCounted(guessKey);
    assertWithinRateLimit(waitSeconds, signInStartErrors.codeGuessed);
    if (!authorizationRequests.isCode(hash, mails, code)) {
      // Not awaited: the response time must not depend on whether the address is known.
      if (isLast)
        void recordBlockedCodes(deps, request, origin).catch((error: unknown) =>
          log.error({ err: error }, 'could not record that codes are blocked'),
        );
      throw fail(signInStartErrors.codeWrong);
    }
    await guesses.refund(guessKey);
    return request;
  }

  async function requirePending(attempt: string, cookies: Cookies): Promise<AuthorizationRequest> {
    const request = await authorizationRequests.find(attempt, cookies);
    if (request?.outcome?.kind !== 'proof' || !(await handlerOf(request.way).addressOf(request)))
      throw fail(signInProblems.expired);
    return request;
  }
}

/** Counts before the comparison, so that concurrent attempts cannot exceed the limit. Returns null if no attempt is left. */
const countAttempt = (database: Queryable, hash: Buffer) =>
  scalarOf<number>(database)`
    update sign_in_transactions set proof_tries = proof_tries + 1
    where state_hash = ${hash} and proof_tries < ${rawSql(verificationAttempts)} returning proof_mails as mails`;

/** Returns the language of the page that made the request, if mails have it. */
export const requestedMailLanguage = ({ cookies, origin }: BrowserContext): MailLanguage | null =>
  matchLanguage(
    [cookies.get(languageCookie) ?? '', ...acceptedLanguages(origin.acceptLanguage)],
    MailLanguage.options,
  );

/** Returns the language that the person chose, if mails have it. */
export const chosenMailLanguage = (person: { language: string | null } | null): MailLanguage | null =>
  matchLanguage([person?.language ?? ''], MailLanguage.options);

export const queueCodeMail = (mail: MailQueue, transaction: Queryable, hash: Buffer): Promise<void> =>
  mail.queue(transaction, [
    { template: signInCodeMailName, subjectId: hash.toString('base64url'), isUrgent: true },
  ]);

function resendInSeconds(
  { proof_mails: sent, proof_mailed_at: at }: AuthorizationRequest,
  now: number,
): number | null {
  if (sent >= mailsMaximum) return null;
  return Math.max(0, Math.ceil(((at?.getTime() ?? 0) + mailIntervalMs - now) / 1000));
}

function maskAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}••${email.slice(at)}`;
}
