/**
 * Sign-in with OpenID Connect providers, passkeys and e-mailed codes: sessions of the server with an opaque cookie. The sign-in
 * with Azure AD B2C happens in the browser and does not use these routes, except `startSignIn`.
 */
import * as z from 'zod/mini';
import { SignInMethod } from './configuration.ts';
import { requestErrors } from './request-errors.ts';
import { cleanAddress } from './rules/clean-text.ts';
import { emailMaximumLength, identitiesMaximum } from './rules/limits.ts';
import { defineErrors, defineRoute, errorsOf } from './route.ts';
import { Message } from './texts/text.ts';
import { linkCode, Moment } from './values.ts';

export const callbackPath = (methodId: string) => `/auth/${methodId}/callback`;
/** Logout endpoint for the provider (OpenID Connect Back-Channel Logout 1.0). */
export const backchannelLogoutPath = (methodId: string) => `/auth/${methodId}/backchannel-logout`;

export const verificationDigits = 6;
/** Maximum number of wrong entries per code. */
export const verificationAttempts = 5;
/** Lifetime of a pending sign-in. */
export const signInMinutes = 10;

/** `confirm` is step-up authentication, `add` adds a sign-in method, `move` completes an identity migration, `test` tests the connection of an organization. */
export const SignInPurpose = z.enum(['sign-in', 'confirm', 'add', 'move', 'test']);
export type SignInPurpose = z.output<typeof SignInPurpose>;

/** Reasons for which a sign-in failed. The `values` of the problem fill the `{placeholders}`. */
export const signInProblems = defineErrors('sign_in', {
  400: { expired: 'This sign-in has ended or was started in another browser. Sign in again.' },
  403: {
    /** Okta, for example, sends the same error to users who are not assigned to the application. */
    cancelled:
      'The sign-in at {provider} was cancelled, or your account there may not use this site. If you did not cancel, ask support.',
    refusedByProvider: '{provider} did not sign you in ({reason}). Try again, or ask support.',
    wrongAccount:
      'The invitation was sent to {invited}, but you signed in as {used}. Sign in with the invited address, or ask for an invitation to the other one.',
    addressUnproven:
      '{provider} does not confirm your e-mail address, so no invitation can be matched to it. If you were invited, open the link in your invitation; if that leads here too, ask support.',
    somebodyElse:
      'You are signed in here as {email}, but confirmed with an account at {provider} that belongs to someone else. Nothing was changed. Confirm with your own account.',
    notAskedAgain:
      '{provider} did not ask you to sign in again, so nothing was changed. Sign out there first, then try again.',
    /** For sessions that were started with B2C. */
    cannotConfirm: 'You cannot confirm this way. Choose another, or sign out and sign in again.',
    /** For users to whom no code can be e-mailed either. */
    askingUnknown:
      '{provider} does not say whether it asked you to sign in again, so nothing was changed. Sign out here, sign in again, then try again.',
  },
  409: {
    accountTaken:
      'This account at {provider} already belongs to someone else on this site. Nothing was changed. Choose another account there, or ask support.',
    identitiesFull: `You have reached the limit of ${identitiesMaximum} sign-in methods. Remove one in your profile first.`,
  },
  429: {
    /** Sent with Retry-After, and only after a successful authentication. */
    tooOften: 'Too many sign-ins in the last hour. Try again later.',
  },
  502: {
    providerAnswer:
      '{provider} sent a response that cannot be trusted, so you are not signed in. Try again. If the problem persists, tell support.',
    providerSetup:
      '{provider} does not accept this site. Tell support: the sign-in settings need to be corrected.',
    clocks:
      'The clocks of {provider} and this site are too far apart, so you are not signed in. Tell support.',
  },
  503: {
    providerDown:
      '{provider} cannot be reached right now. Try again in a minute. If the problem persists, tell support.',
  },
});

export const signInStartErrors = defineErrors('sign_in', {
  400: {
    wayUnknown: 'This sign-in method does not exist. Reload the page and choose again.',
    notAnAddress: 'This is not an e-mail address. Check for typos.',
    codeWrong: 'This is not the code from the latest e-mail. Check it and try again.',
    codeSpent: 'This code no longer works. Request a new one.',
    /** Limit per sign-in. */
    codesMailed: 'No more codes can be sent for this sign-in. Enter the latest one, or start again.',
  },
  429: {
    /** Limit per day. */
    codeGuessed:
      'Too many wrong codes were entered for this address. If the latest e-mail has a link, open it in this browser.',
    /** Limit per hour. */
    codesAsked:
      'Too many codes were requested for this address in the last hour. If you requested the latest one in this browser, enter it there. Otherwise, try again in an hour.',
  },
});

export const signInMethodId = z.string().check(z.maxLength(40, 'This sign-in method does not exist.'));

/** Address that a user enters to sign in. Removes the full stop that phones enter for two spaces. */
export const signInAddress = z.string().check(
  z.overwrite((address) => cleanAddress(address).replace(/[.\s]{1,5}$/, '')),
  z.trim(),
  z.maxLength(emailMaximumLength, `An e-mail address has at most ${emailMaximumLength} characters.`),
);

/** Path on this site to open after the sign-in. Other addresses are replaced by the start page. */
export const returnTo = z.optional(z.string().check(z.maxLength(2_000, 'This address is too long.')));
/** Language of the page, which is requested from the provider. */
export const pageLanguage = z.optional(
  z.string().check(z.regex(/^[a-z]{2}$/, 'A language is two letters, such as en.')),
);

export const startSignIn = defineRoute('POST /api/sign-in/start', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'provider',
  summary: 'Starts a sign-in and returns the address to open.',
  /** Browsers send the origin of the page. */
  headers: z.object({ origin: z.optional(z.string()) }),
  body: z.strictObject({
    way: z.optional(signInMethodId),
    address: z.optional(signInAddress),
    returnTo,
    invitation: z.optional(linkCode),
    /** Asks the provider to show its account selection. */
    chooseAccount: z.optional(z.boolean()),
    language: pageLanguage,
  }),
  response: z.object({
    way: SignInMethod,
    /** Null for B2C, whose sign-in starts in the browser. */
    url: z.nullable(z.string()),
  }),
  errors: [signInStartErrors.wayUnknown, signInProblems.providerDown, requestErrors.tooMany],
});

const SignInMethodState = z.extend(SignInMethod, {
  host: z.string(),
  lastSuccessAt: z.nullable(Moment),
  lastFailureAt: z.nullable(Moment),
  lastFailure: z.nullable(Message),
});
export type SignInMethodState = z.output<typeof SignInMethodState>;

export const listSignInMethods = defineRoute('GET /api/settings/sign-in-ways', {
  access: 'admin',
  summary: 'The sign-in methods, with the times of the last success and the last failure.',
  response: z.object({ rows: z.array(SignInMethodState) }),
});

/** Outcome of a sign-in that did not start a session. `way` is null if the method is unknown. */
export const SignInOutcome = z.discriminatedUnion('kind', [
  z.extend(Message, {
    kind: z.literal('problem'),
    way: z.nullable(SignInMethod),
    purpose: SignInPurpose,
    returnTo: z.string(),
    canRetry: z.boolean(),
  }),
  z.object({
    kind: z.literal('proof'),
    way: SignInMethod,
    /** For `sign-in`, the code was sent to the invited address; for other purposes, to the person's address. */
    purpose: SignInPurpose,
    /** Address such as `a••@example.com`. */
    maskedEmail: z.string(),
    /** Seconds until another code can be requested; null if no further code can be requested. */
    resendInSeconds: z.nullable(z.number()),
  }),
  /** The code was correct, and a passkey is required (sign-in/passkeys.ts). */
  z.object({ kind: z.literal('proven') }),
]);
export type SignInOutcome = z.output<typeof SignInOutcome>;

/** Id of a pending sign-in, from the query of its result page: `/login?sign-in=problem&attempt=…`. */
export const attempt = z.string().check(z.maxLength(100, 'This is not a sign-in.'));

export const getSignInOutcome = defineRoute('GET /api/sign-in/outcome', {
  access: 'public',
  summary:
    'The outcome of the sign-in that this browser started. An unknown one has expired, which is an error too.',
  query: z.object({ attempt: z.optional(attempt) }),
  response: SignInOutcome,
});

export const verifyEmail = defineRoute('POST /api/sign-in/proof', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'code',
  summary: 'Verifies an address with the code sent to it, and signs in.',
  body: z.strictObject({
    attempt,
    code: z.string().check(z.trim(), z.regex(/^\d{6}$/, 'The code has six digits.')),
    /** Secret from the link in the mail. Because it cannot be guessed, it is accepted even after too many wrong codes. */
    key: z.optional(z.string().check(z.maxLength(100, 'This is not one of our links.'))),
  }),
  response: z.object({
    returnTo: z.string(),
    /**
     * Passkey to offer after a sign-in by code; null to offer none. For `passkey-required`, no session exists until a passkey is created
     * with the `attempt` (sign-in/passkeys.ts).
     */
    next: z.nullable(z.enum(['offer-passkey', 'offer-another-passkey', 'passkey-required'])),
  }),
  errors: [
    ...errorsOf(signInProblems, 'expired', 'tooOften'),
    ...errorsOf(signInStartErrors, 'codeWrong', 'codeSpent', 'codeGuessed'),
  ],
});

export const resendVerificationCode = defineRoute('POST /api/sign-in/proof/resend', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'code',
  summary: 'E-mails a new code to the same address. The previous one stops working.',
  body: z.strictObject({ attempt }),
  response: z.object({ resendInSeconds: z.nullable(z.number()) }),
  errors: [
    signInProblems.expired,
    ...errorsOf(signInStartErrors, 'codesAsked', 'codesMailed'),
    requestErrors.tooMany,
  ],
});
