/**
 * Signing in through an OpenID Provider: the server leads there and back, and ends in a session that the browser only has an
 * opaque cookie of. Azure AD B2C goes its own way in the browser and knows none of this.
 */
import * as z from 'zod/mini';
import { SignInMethod } from './configuration.ts';
import { requestErrors } from './request-errors.ts';
import { emailMaximumLength, identitiesMaximum } from './rules/limits.ts';
import { defineErrors, defineRoute } from './route.ts';
import { Message } from './texts/text.ts';
import { linkCode, Moment } from './values.ts';

/** Where the browser comes back from the provider with way `{way}`. */
export const callbackPath = (way: string) => `/auth/${way}/callback`;
/** Where a provider tells that somebody signed out (OpenID Connect Back-Channel Logout 1.0). */
export const backchannelLogoutPath = (way: string) => `/auth/${way}/backchannel-logout`;

/** How many digits the code has that proves an address. */
export const verificationDigits = 6;
/** How often a code may be entered wrongly. */
export const verificationAttempts = 5;
/** How long somebody has for a sign-in, from the start to the end, in minutes. */
export const signInMinutes = 10;

/**
 * What somebody goes to a provider for: to come in, to confirm that it is them, to add a way to sign in, or to move to another one.
 */
export const SignInPurpose = z.enum(['sign-in', 'confirm', 'add', 'move']);
export type SignInPurpose = z.output<typeof SignInPurpose>;

/** Why a sign-in did not come about. `{gaps}` are filled by the `values` of the problem. */
export const signInProblems = defineErrors('sign_in', {
  400: { expired: 'This sign-in has ended or was started in another browser. Sign in again.' },
  403: {
    cancelled: 'You cancelled the sign-in at {provider}.',
    refusedByProvider: '{provider} did not sign you in ({reason}). Try again, or ask support.',
    wrongAccount:
      'The invitation was sent to {invited}, but you signed in as {used}. Sign in with the invited address, or ask for an invitation to the other one.',
    addressUnproven:
      '{provider} does not confirm your e-mail address, so no invitation can be matched to it. If you were invited, open the link in your invitation; if that leads here too, ask support.',
    somebodyElse:
      'You are signed in here as {email}, but confirmed with an account at {provider} that belongs to someone else. Nothing was changed. Confirm with your own account.',
    notAskedAgain:
      '{provider} did not ask you to sign in again, so nothing was changed. Sign out there first, then try again.',
    /** Of a session whose way the server does not lead. */
    cannotConfirm: 'You cannot confirm this way. Choose another, or sign out and sign in again.',
    /** And no mail server is there for a code. */
    askingUnknown:
      '{provider} does not say whether it asked you to sign in again, so nothing was changed. Sign out here, sign in again, then try again.',
  },
  409: {
    accountTaken:
      'This account at {provider} already belongs to someone else on this site. Nothing was changed. Choose another account there, or ask support.',
    identitiesFull: `You have reached the limit of ${identitiesMaximum} ways to sign in. Remove one in your profile first.`,
  },
  429: {
    /** With Retry-After; only ever told to whoever has proven who they are. */
    tooOften: 'Too many sign-ins in the last hour. Try again later.',
  },
  502: {
    providerAnswer:
      '{provider} sent a response that cannot be trusted, so you are not signed in. Try again. If the problem persists, tell support.',
    providerSetup:
      '{provider} does not accept this site. An administrator needs to correct the sign-in settings.',
    clocks:
      'The clocks of {provider} and this site are too far apart, so you are not signed in. Tell support.',
  },
  503: { providerDown: '{provider} cannot be reached right now. Try again in a minute.' },
});

export const signInStartErrors = defineErrors('sign_in', {
  400: {
    wayUnknown: 'This way to sign in does not exist. Reload the page and choose again.',
    notAnAddress: 'This is not an e-mail address. Check for typos.',
    codeWrong: 'This is not the code from the latest e-mail. Check it and try again.',
    codeSpent: 'This code no longer works. Request a new one.',
    /** Of one sign-in. */
    codesMailed: 'No more codes can be sent for this sign-in. Enter the latest one, or start again.',
  },
  429: {
    /** Of the day. */
    codeGuessed:
      'Too many wrong codes were entered for this address. If the latest e-mail has a link, open it in this browser.',
    /** Of the hour. */
    codesAsked:
      'Too many codes were requested for this address in the last hour. If you requested the latest one in this browser, enter it there. Otherwise, try again in an hour.',
  },
});

/** How a way is named in a call. */
export const wayId = z.string().check(z.maxLength(40, 'This way to sign in does not exist.'));

/** Where the person goes afterwards: a path of this site. Anything else leads to the start page. */
export const returnTo = z.optional(z.string().check(z.maxLength(2_000, 'This address is too long.')));
/** The language of the page, in which the provider's is asked for. */
export const pageLanguage = z.optional(
  z.string().check(z.regex(/^[a-z]{2}$/, 'A language is two letters, such as en.')),
);

export const startSignIn = defineRoute('POST /api/sign-in/start', {
  access: 'public',
  sameOrigin: true,
  summary: 'Starts a sign-in and returns the address to open.',
  body: z.strictObject({
    /** One of the ways in the configuration; left out, `address` decides by its domain. */
    way: z.optional(wayId),
    /** Known to the provider as a hint. */
    address: z.optional(
      z
        .string()
        .check(
          z.trim(),
          z.maxLength(emailMaximumLength, `An e-mail address has at most ${emailMaximumLength} characters.`),
        ),
    ),
    returnTo,
    /** The short code of the invitation that the person comes with. */
    invitation: z.optional(linkCode),
    /** Lets the person choose another account than the one they are signed in with. */
    chooseAccount: z.optional(z.boolean()),
    language: pageLanguage,
  }),
  answer: z.object({
    way: SignInMethod,
    /** Null for B2C, whose sign-in begins in the browser. */
    url: z.nullable(z.string()),
  }),
  errors: [signInStartErrors.wayUnknown, signInProblems.providerDown, requestErrors.tooMany],
});

const SignInMethodState = z.extend(SignInMethod, {
  /** The host of the provider. */
  host: z.string(),
  lastSuccessAt: z.nullable(Moment),
  lastFailureAt: z.nullable(Moment),
  /** Why it failed then. */
  lastFailure: z.nullable(Message),
});
export type SignInMethodState = z.output<typeof SignInMethodState>;

export const listSignInMethods = defineRoute('GET /api/settings/sign-in-ways', {
  access: 'admin',
  summary: 'The ways to sign in, and when each last worked and last failed through the server.',
  answer: z.object({ rows: z.array(SignInMethodState) }),
});

/** What became of a sign-in that did not end in a session; `way` is null where even that is not known. */
export const SignInOutcome = z.discriminatedUnion('kind', [
  z.extend(Message, {
    kind: z.literal('problem'),
    way: z.nullable(SignInMethod),
    purpose: SignInPurpose,
    /** Where the person came from, or wanted to go. */
    returnTo: z.string(),
    /** Whether signing in again may help. */
    canRetry: z.boolean(),
  }),
  z.object({
    kind: z.literal('proof'),
    way: SignInMethod,
    /** `sign-in`: the code went to the invited address; else to the person's own. */
    purpose: SignInPurpose,
    /** Where the code went, such as `a••@example.com`. */
    maskedEmail: z.string(),
    /** When another code may be asked for, in seconds from now; null when no further one is sent. */
    resendInSeconds: z.nullable(z.number()),
  }),
  /** The code was right, and a passkey is demanded (sign-in/passkeys.ts). */
  z.object({ kind: z.literal('proven') }),
]);
export type SignInOutcome = z.output<typeof SignInOutcome>;

/** The `attempt` of the address that a sign-in ended with: `/login?sign-in=problem&attempt=…`. */
export const attempt = z.string().check(z.maxLength(100, 'This is not a sign-in.'));

export const getSignInOutcome = defineRoute('GET /api/sign-in/outcome', {
  access: 'public',
  summary:
    'The outcome of the sign-in that this browser started. An unknown one has expired, which is an error too.',
  query: z.object({ attempt: z.optional(attempt) }),
  answer: SignInOutcome,
});

export const verifyEmail = defineRoute('POST /api/sign-in/proof', {
  access: 'public',
  sameOrigin: true,
  summary: 'Verifies an address with the code sent to it, and signs in.',
  body: z.strictObject({
    attempt,
    code: z.string().check(z.trim(), z.regex(/^\d{6}$/, 'The code has six digits.')),
    /** What the link of the mail has besides: nobody can guess it, so it opens also where too many wrong codes were entered. */
    key: z.optional(z.string().check(z.maxLength(100, 'This is not one of our links.'))),
  }),
  answer: z.object({
    returnTo: z.string(),
    /**
     * Whoever came by a code of theirs may be offered a passkey, or another one where theirs may be lost; or has to make one: then
     * there is no session yet, and the `attempt` makes one (sign-in/passkeys.ts). Null in every other case.
     */
    next: z.nullable(z.enum(['offer-passkey', 'offer-another-passkey', 'passkey-required'])),
  }),
  errors: [
    signInProblems.expired,
    signInStartErrors.codeWrong,
    signInStartErrors.codeSpent,
    signInStartErrors.codeGuessed,
    signInProblems.tooOften,
  ],
});

export const resendVerificationCode = defineRoute('POST /api/sign-in/proof/resend', {
  access: 'public',
  sameOrigin: true,
  summary: 'E-mails a new code to the same address. The previous one stops working.',
  body: z.strictObject({ attempt }),
  answer: z.object({ resendInSeconds: z.nullable(z.number()) }),
  errors: [
    signInProblems.expired,
    signInStartErrors.codesAsked,
    signInStartErrors.codesMailed,
    requestErrors.tooMany,
  ],
});
