/** The response to an authorize request. */
import type { B2cError } from '../b2c-error.ts';
import type { Session } from '../tenant/sessions.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { ResponseTarget, Start } from '../tenant/transactions.ts';

export function issueCode(
  tenant: Tenant,
  { policy, client, request }: Omit<Start, 'step'>,
  { account, authTime }: Session,
  newUser: boolean,
): string {
  const { clientId } = client;
  const { scopes, redirectUri, codeChallenge, nonce } = request;
  return tenant.grants.issueCode(
    { accountId: account.id, clientId, policy: policy.path, scopes, authTime, newUser },
    { redirectUri, codeChallenge, nonce },
  );
}

export function buildErrorUrl(target: ResponseTarget, error: B2cError, tenant: Tenant): string {
  const description = error.describe(tenant.now());
  return buildResponseUrl(target, { error: error.oauthError, error_description: description });
}

/** Builds the redirect URL of a response in the query or the fragment. */
export function buildResponseUrl(target: ResponseTarget, parameters: Record<string, string>): string {
  const { redirectUri, isFragment, state } = target;
  const encoded = new URLSearchParams({ ...(state !== undefined && { state }), ...parameters }).toString();
  const separator = isFragment ? '#' : redirectUri.includes('?') ? '&' : '?';
  return redirectUri + separator + encoded;
}
