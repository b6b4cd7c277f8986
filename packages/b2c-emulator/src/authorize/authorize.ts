/** Validation of authorize requests and choice of the first step. HTTP is in authorize-endpoint.ts. */
import type { AuthorizationRequest, ResponseMode } from './authorization-response.ts';
import { B2cError } from '../b2c-error.ts';
import { canonicalEmail, emailMaximumLength } from '../tenant/email-address.ts';
import { HintIssuerUnreachable } from './id-token-hint.ts';
import type { Language } from '../pages/page-texts.ts';
import { chooseLanguage } from '../pages/page-texts.ts';
import type { RequestParameters } from '../request-parameters.ts';
import type { Session } from '../tenant/sessions.ts';
import type { Client, Policy } from '../tenant/client-and-policy.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Step } from '../tenant/transactions.ts';

/**
 * A partly validated request. `client` and `redirectUri` are set first: without them an error can only be
 * rendered as a page.
 */
type RequestDraft = Partial<AuthorizationRequest> & {
  client?: Client;
  responseMode: ResponseMode;
  language: Language;
};

type Check = (draft: RequestDraft, parameters: RequestParameters, tenant: Tenant) => void;

/** The order decides which error is returned when several parameters are wrong. */
const checks: readonly Check[] = [
  checkLanguage,
  checkClient,
  checkRedirectUri,
  checkState,
  checkResponseMode,
  checkResponseType,
  checkPkce,
  checkScope,
  checkPrompt,
  checkMaxAge,
  readOptionalParameters,
];

export function newDraft(): RequestDraft {
  return { responseMode: 'query', language: 'en' };
}

/** Runs every check on a draft. Throws the first B2cError; the draft keeps the values validated before it. */
export function checkRequest(
  draft: RequestDraft,
  parameters: RequestParameters,
  tenant: Tenant,
): { client: Client; request: AuthorizationRequest } {
  for (const check of checks) check(draft, parameters, tenant);
  const { client, ...request } = draft as AuthorizationRequest & { client: Client };
  return { client, request };
}

function checkLanguage(draft: RequestDraft, parameters: RequestParameters): void {
  draft.language = chooseLanguage(parameters.get('ui_locales'));
}

function checkClient(draft: RequestDraft, parameters: RequestParameters, tenant: Tenant): void {
  const clientId = parameters.get('client_id');
  if (!clientId) throw new B2cError('AADB2C90008', 'invalid_request');
  const client = tenant.clients.get(clientId);
  if (!client) throw new B2cError('AADB2C90018', 'invalid_request', clientId, tenant.domain);
  draft.client = client;
}

function checkRedirectUri(draft: RequestDraft, parameters: RequestParameters): void {
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (!draft.client?.redirectUris.includes(redirectUri)) {
    throw new B2cError('AADB2C90006', 'invalid_request', redirectUri, draft.client?.clientId ?? '');
  }
  draft.redirectUri = redirectUri;
}

function checkState(draft: RequestDraft, parameters: RequestParameters): void {
  draft.state = parameters.get('state');
}

function checkResponseMode(draft: RequestDraft, parameters: RequestParameters): void {
  const mode = parameters.get('response_mode') ?? 'query';
  if (mode !== 'query' && mode !== 'fragment' && mode !== 'form_post') {
    throw new B2cError('AADB2C90014', 'invalid_request', mode);
  }
  draft.responseMode = mode;
}

function checkResponseType(_: RequestDraft, parameters: RequestParameters): void {
  const type = parameters.get('response_type');
  if (!type) throw new B2cError('AADB2C90083', 'invalid_request', 'response_type');
  if (type !== 'code') throw new B2cError('AADB2C90013', 'unsupported_response_type', type);
}

/** PKCE is required, and only `S256` is accepted (RFC 9700 section 2.1.1). */
function checkPkce(draft: RequestDraft, parameters: RequestParameters): void {
  const challenge = parameters.get('code_challenge');
  if (!challenge) throw new B2cError('AADB2C99059', 'invalid_request');
  if (parameters.get('code_challenge_method') !== 'S256')
    throw new B2cError('AADB2C90184', 'invalid_request');
  if (!/^[\w-]{43}$/.test(challenge)) throw new B2cError('AADB2C90122', 'invalid_request', 'code_challenge');
  draft.codeChallenge = challenge;
}

function checkScope(draft: RequestDraft, parameters: RequestParameters, tenant: Tenant): void {
  const scopes = splitScope(parameters.get('scope'));
  if (scopes.length === 0) throw new B2cError('AADB2C90010', 'invalid_request');
  assertSupportedScopes(scopes, draft.client!, tenant);
  draft.scopes = scopes;
}

function checkPrompt(draft: RequestDraft, parameters: RequestParameters): void {
  const prompts = new Set(splitScope(parameters.get('prompt')));
  const known = new Set(['none', 'login', 'consent', 'select_account']);
  if ([...prompts].some((prompt) => !known.has(prompt)) || (prompts.has('none') && prompts.size > 1)) {
    throw new B2cError('AADB2C90043', 'invalid_request');
  }
  draft.prompts = prompts;
}

function checkMaxAge(draft: RequestDraft, parameters: RequestParameters): void {
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) {
    throw new B2cError('AADB2C90120', 'invalid_request', maxAge, '0', '999999999');
  }
  draft.maxAgeSeconds = maxAge === undefined ? undefined : Number(maxAge);
}

function readOptionalParameters(draft: RequestDraft, parameters: RequestParameters): void {
  draft.nonce = parameters.get('nonce');
  draft.loginHint = parameters.get('login_hint')?.slice(0, emailMaximumLength);
  draft.hint = parameters.get('id_token_hint');
}

/** Splits space-separated values and removes duplicates. */
export function splitScope(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter(Boolean))];
}

/**
 * Throws for a scope that the client does not have. The client id counts as the scope of the client's API, as in B2C.
 */
export function assertSupportedScopes(scopes: string[], client: Client, tenant: Tenant): void {
  const known = new Set(['openid', 'offline_access', 'profile', 'email', client.clientId, ...client.scopes]);
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown !== undefined) {
    tenant.log(`a scope was asked for that the client does not have; it has: ${client.scopes.join(' ')}`);
    throw new B2cError('AADB2C90117', 'invalid_scope', unknown);
  }
}

/** Either a page to show or an account that is already signed in. */
type FirstStep = { step: Step } | { session: Session };

/** Chooses the first step. Throws a B2cError if the request fails or needs a page and `prompt` is `none`. */
export async function chooseFirstStep(
  tenant: Tenant,
  policy: Policy,
  request: AuthorizationRequest,
  sessions: Session[],
): Promise<FirstStep> {
  const silent = request.prompts.has('none');
  const usable = sessions.filter(({ account, authTime }) => {
    const isYoung =
      request.maxAgeSeconds === undefined || authTime + request.maxAgeSeconds * 1000 >= tenant.now();
    const isHinted =
      request.loginHint === undefined || canonicalEmail(request.loginHint) === canonicalEmail(account.email);
    return isYoung && isHinted;
  });
  const [session] = usable;
  const mustSignIn = request.prompts.has('login') || request.prompts.has('select_account') || !session;
  if (silent && (mustSignIn || policy.kind !== 'sign-in')) {
    throw new B2cError('AADB2C90077', 'interaction_required', 'none');
  }
  if (policy.kind === 'sign-up') return { step: await startSignUp(tenant, request.hint) };
  if (policy.kind === 'reset-password') return { step: { name: 'reset-email' } };
  if (mustSignIn) {
    if (request.prompts.has('select_account') && sessions.length > 0)
      return { step: { name: 'select-account' } };
    return { step: { name: 'sign-in', ...(request.loginHint && { email: request.loginHint }) } };
  }
  if (policy.kind === 'sign-in') return { session };
  return { step: { name: 'edit-profile', accountId: session.account.id, authTime: session.authTime } };
}

async function startSignUp(tenant: Tenant, hint: string | undefined): Promise<Step> {
  if (!hint) throw new B2cError('AADB2C90272', 'invalid_request');
  try {
    return { name: 'sign-up', invitation: await checkInvitation(tenant, hint) };
  } catch (error) {
    if (!(error instanceof HintIssuerUnreachable)) throw error;
    tenant.log(`an id_token_hint could not be checked: ${error.message}`);
    return { name: 'check-hint', hint };
  }
}

/** Returns the invitation of a hint. Throws if the hint is invalid or was already used for a sign-up. */
export async function checkInvitation(tenant: Tenant, hint: string) {
  const invitation = await tenant.checkHint(hint);
  if (tenant.accounts.isRedeemed(invitation.invitationId, invitation.hintId)) {
    throw new B2cError('AADB2C90210', 'invalid_request');
  }
  return invitation;
}
