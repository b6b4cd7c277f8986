import type { B2cError } from '../b2c-error.ts';
import type { Language } from '../pages/page-texts.ts';

/** `response_mode` values (OAuth 2.0 Multiple Response Types, OAuth 2.0 Form Post Response Mode). */
export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** An authorize request that passed all checks. */
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
  /** The raw `id_token_hint`. Never logged or displayed. */
  hint: string | undefined;
  language: Language;
};

/** Parameters sent back to the application. */
export type AuthorizationResponse = {
  redirectUri: string;
  responseMode: ResponseMode;
  parameters: [string, string][];
};

type Target = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>;

export function codeResponse(target: Target, code: string): AuthorizationResponse {
  return respond(target, [['code', code]]);
}

export function errorResponse(target: Target, error: B2cError, now: number): AuthorizationResponse {
  return respond(target, [
    ['error', error.oauthError],
    ['error_description', error.describe(now)],
  ]);
}

/** Builds the redirect URL of a response in the query or the fragment. */
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
