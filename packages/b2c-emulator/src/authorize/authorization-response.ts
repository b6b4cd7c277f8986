import type { B2cError } from '../b2c-error.ts';
import type { Language } from '../pages/page-texts.ts';

/** How an answer travels back (OAuth 2.0 Multiple Response Types, OAuth 2.0 Form Post Response Mode). */
export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** An authorize request after all checks. */
export type AuthorizationRequest = {
  redirectUri: string;
  responseMode: ResponseMode;
  state: string | undefined;
  nonce: string | undefined;
  scopes: string[];
  codeChallenge: string;
  prompts: Set<string>;
  maxAgeSeconds: number | undefined;
  loginHint: string | undefined;
  /** The raw `id_token_hint`; it is never logged or shown. */
  hint: string | undefined;
  language: Language;
};

/** What goes back to the application. */
export type AuthorizationResponse = {
  redirectUri: string;
  responseMode: ResponseMode;
  parameters: [string, string][];
};

type Target = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>;

/** A successful answer (RFC 6749 section 4.1.2). */
export function codeResponse(target: Target, code: string): AuthorizationResponse {
  return respond(target, [['code', code]]);
}

/** An error answer (RFC 6749 section 4.1.2.1) in B2C's wording. */
export function errorResponse(target: Target, error: B2cError, now: number): AuthorizationResponse {
  return respond(target, [
    ['error', error.oauthError],
    ['error_description', error.describe(now)],
  ]);
}

/** The address of an answer that travels in the query or the fragment. */
export function buildResponseUrl({ redirectUri, responseMode, parameters }: AuthorizationResponse): string {
  const encoded = new URLSearchParams(parameters).toString();
  if (responseMode === 'fragment') return `${redirectUri}#${encoded}`;
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${encoded}`;
}

function respond(target: Target, parameters: [string, string][]): AuthorizationResponse {
  const { redirectUri, responseMode, state } = target;
  return {
    redirectUri,
    responseMode,
    parameters: state === undefined ? parameters : [['state', state], ...parameters],
  };
}
