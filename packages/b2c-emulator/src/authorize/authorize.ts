/** The authorize endpoint (OpenID Connect Core section 3.1.2): validation, the first step, and the response. */
import { B2cError } from '../b2c-error.ts';
import type { Client, Policy } from '../emulator-config.ts';
import { getApplicationUrl, sendMessage } from '../pages/pages.ts';
import {
  readCookie,
  readParameters,
  searchOf,
  sessionCookie,
  splitWords,
  type GetParameter,
  type PolicyEndpoint,
} from '../requests.ts';
import { sendToInteraction } from '../steps/interaction.ts';
import { canonicalEmail, emailMaximumLength } from '../tenant/accounts.ts';
import { isRecent, type Session } from '../tenant/sessions.ts';
import type { Tenant } from '../tenant/tenant.ts';
import {
  responseModes,
  type AuthorizationRequest,
  type ResponseTarget,
  type Step,
} from '../tenant/transactions.ts';
import { errorParameters, issueCode, sendResponse } from './response.ts';

/**
 * GET or POST. Renders an error page instead of redirecting until the redirect URI is validated, and for a missing
 * hint, as B2C's invitation sample does.
 */
export const authorize: PolicyEndpoint = async (httpRequest, reply, tenant, policy) => {
  const get = readParameters(searchOf(httpRequest));
  let client: Client | undefined;
  let target: ResponseTarget | undefined;
  try {
    client = findClient(get, tenant);
    target = { redirectUri: findRedirectUri(get, client), responseMode: 'query', state: undefined };
    target.state = get('state');
    target.responseMode = checkResponseMode(get);
    const request = { ...target, ...checkRequest(get, client, tenant) };
    const cookie = readCookie(httpRequest, sessionCookie);
    const first = await chooseFirstStep(
      tenant,
      policy,
      request,
      tenant.sessions.list(cookie),
      get('id_token_hint'),
    );
    if ('name' in first) return sendToInteraction(reply, tenant, { policy, client, request, step: first });
    if (cookie) tenant.sessions.extend(cookie, first.account.id);
    const code = issueCode(tenant, { policy, client, request }, first, false);
    return sendResponse(reply, target, { code });
  } catch (error) {
    if (!(error instanceof B2cError)) throw error;
    tenant.log(`${policy.name}: ${error.code}, correlation id ${error.correlationId}`);
    if (target && error.code !== 'AADB2C90272')
      return sendResponse(reply, target, errorParameters(error, tenant));
    const isHintMissing = error.code === 'AADB2C90272';
    return sendMessage(reply, tenant, {
      title: isHintMissing ? 'An invitation is required' : 'This request cannot be answered',
      lead: isHintMissing
        ? 'Accounts are created by invitation only. Open the link in your invitation email.'
        : 'Go back to the application and try again. If the problem persists, send its support the details below.',
      detail: error.describe(tenant.now()),
      status: 400,
      applicationUrl: getApplicationUrl(target?.redirectUri ?? client?.redirectUris[0]),
    });
  }
};

function findClient(get: GetParameter, tenant: Tenant): Client {
  const clientId = get('client_id');
  if (!clientId) throw new B2cError('AADB2C90008', 'invalid_request');
  const client = tenant.clients.get(clientId);
  if (!client) throw new B2cError('AADB2C90018', 'invalid_request', clientId, tenant.domain);
  return client;
}

function findRedirectUri(get: GetParameter, client: Client): string {
  const redirectUri = get('redirect_uri') ?? '';
  if (client.redirectUris.includes(redirectUri)) return redirectUri;
  throw new B2cError('AADB2C90006', 'invalid_request', redirectUri, client.clientId);
}

function checkResponseMode(get: GetParameter): ResponseTarget['responseMode'] {
  const mode = get('response_mode') ?? 'query';
  const known = responseModes.find((name) => name === mode);
  if (known) return known;
  throw new B2cError('AADB2C90014', 'invalid_request', mode);
}

/** The order decides which error is returned when several parameters are wrong. */
function checkRequest(get: GetParameter, client: Client, tenant: Tenant) {
  const type = get('response_type');
  if (!type) throw new B2cError('AADB2C90083', 'invalid_request', 'response_type');
  if (type !== 'code') throw new B2cError('AADB2C90013', 'unsupported_response_type', type);

  // PKCE is required, and only `S256` is accepted (RFC 9700 section 2.1.1).
  const codeChallenge = get('code_challenge');
  if (!codeChallenge) throw new B2cError('AADB2C99059', 'invalid_request');
  if (get('code_challenge_method') !== 'S256') throw new B2cError('AADB2C90184', 'invalid_request');
  if (!/^[\w-]{43}$/.test(codeChallenge))
    throw new B2cError('AADB2C90122', 'invalid_request', 'code_challenge');

  const scopes = splitWords(get('scope'));
  if (scopes.length === 0) throw new B2cError('AADB2C90010', 'invalid_request');
  assertSupportedScopes(scopes, client, tenant);

  const prompts = new Set(splitWords(get('prompt')));
  const known = ['none', 'login', 'consent', 'select_account'];
  if (![...prompts].every((prompt) => known.includes(prompt)) || (prompts.has('none') && prompts.size > 1)) {
    throw new B2cError('AADB2C90043', 'invalid_request');
  }

  const maxAge = get('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) {
    throw new B2cError('AADB2C90120', 'invalid_request', maxAge, '0', '999999999');
  }
  const maxAgeSeconds = maxAge === undefined ? undefined : Number(maxAge);
  const loginHint = get('login_hint')?.slice(0, emailMaximumLength);
  return { nonce: get('nonce'), scopes, codeChallenge, prompts, maxAgeSeconds, loginHint };
}

/** Throws for a scope that the client does not have. The client ID counts as the scope of the client's API, as in B2C. */
export function assertSupportedScopes(scopes: string[], client: Client, tenant: Tenant): void {
  const known = new Set(['openid', 'offline_access', 'profile', 'email', client.clientId, ...client.scopes]);
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown === undefined) return;
  tenant.log(`a scope was asked for that the client does not have; it has: ${client.scopes.join(' ')}`);
  throw new B2cError('AADB2C90117', 'invalid_scope', unknown);
}

/**
 * Returns a page to show or the session of an account that is already signed in. Throws a B2cError if the request
 * fails or needs a page and `prompt` is `none`.
 */
async function chooseFirstStep(
  tenant: Tenant,
  policy: Policy,
  request: AuthorizationRequest,
  sessions: Session[],
  hint: string | undefined,
): Promise<Step | Session> {
  const { prompts, loginHint } = request;
  const session = sessions.find(
    (one) =>
      isRecent(one, request.maxAgeSeconds, tenant.now()) &&
      (loginHint === undefined || canonicalEmail(loginHint) === one.account.emailKey),
  );
  const mustSignIn = prompts.has('login') || prompts.has('select_account') || !session;
  if (prompts.has('none') && (mustSignIn || policy.kind !== 'sign-in')) {
    throw new B2cError('AADB2C90077', 'interaction_required', 'none');
  }
  if (policy.kind === 'reset-password') return { name: 'reset-email' };
  if (policy.kind === 'sign-up') {
    if (!hint) throw new B2cError('AADB2C90272', 'invalid_request');
    const invitation = await tenant.checkHint(hint);
    if (!tenant.accounts.isRedeemed(invitation.invitationId, invitation.hintId))
      return { name: 'sign-up', invitation };
    throw new B2cError('AADB2C90210', 'invalid_request');
  }
  if (!mustSignIn) return session;
  if (prompts.has('select_account') && sessions.length > 0) return { name: 'select-account' };
  return { name: 'sign-in', email: loginHint };
}
