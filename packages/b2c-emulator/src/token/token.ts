/**
 * Validation at the token endpoint, for both grant types. Token contents are in tokens.ts, storage in
 * grants.ts.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { assertSupportedScopes, splitScope } from '../authorize/authorize.ts';
import { B2cError, b2cTimestamp } from '../b2c-error.ts';
import type { Grant } from '../tenant/grants.ts';
import type { RequestParameters } from '../request-parameters.ts';
import type { Client, Policy } from '../tenant/client-and-policy.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { tokenResponse } from './tokens.ts';

/**
 * Handles a token request (RFC 6749 sections 4.1.3 and 6); throws a B2cError. `basicClientId` is the user
 * name of the Authorization header. Client secrets are not checked, PKCE is.
 */
export function redeem(
  tenant: Tenant,
  policy: Policy,
  parameters: RequestParameters,
  basicClientId: string | undefined,
): Promise<Record<string, unknown>> {
  const grantType = required(parameters, 'grant_type');
  const clientId = basicClientId ?? required(parameters, 'client_id');
  const client = tenant.clients.get(clientId);
  if (!client) throw new B2cError('AADB2C90018', 'invalid_client', clientId, tenant.domain);
  if (grantType === 'authorization_code') return redeemCode(tenant, policy, client, parameters);
  if (grantType === 'refresh_token') return refresh(tenant, policy, client, parameters);
  throw new B2cError('AADB2C90086', 'unsupported_grant_type', grantType);
}

async function redeemCode(tenant: Tenant, policy: Policy, client: Client, parameters: RequestParameters) {
  const code = required(parameters, 'code');
  const redirectUri = required(parameters, 'redirect_uri');
  const found = tenant.grants.findCode(code);
  if (!found) throw new B2cError('AADB2C90085', 'invalid_grant');
  const { grant } = found;
  assertIssuedHere(grant, policy, client);
  if (found.used) throw revokeReplayed(tenant, grant);
  assertAlive(tenant, grant, found.createdAt, found.expiresAt);
  if (redirectUri !== found.redirectUri) {
    throw new B2cError('AADB2C90006', 'invalid_grant', redirectUri, client.clientId);
  }
  assertVerifier(parameters.get('code_verifier'), found.codeChallenge);
  const account = getAccount(tenant, grant);
  if (!tenant.grants.useCode(code)) throw revokeReplayed(tenant, grant);

  const scopes = splitScope(grant.scope);
  const refreshToken = scopes.includes('offline_access')
    ? tenant.grants.issueRefreshToken(grant.id)
    : undefined;
  return tokenResponse(
    tenant,
    { account, grant, policy, client },
    scopes,
    found.nonce ?? undefined,
    refreshToken,
  );
}

async function refresh(tenant: Tenant, policy: Policy, client: Client, parameters: RequestParameters) {
  const token = required(parameters, 'refresh_token');
  const grant = tenant.grants.findRefreshToken(token);
  if (!grant) throw new B2cError('AADB2C90085', 'invalid_grant');
  assertIssuedHere(grant, policy, client);
  assertAlive(tenant, grant, grant.createdAt, grant.expiresAt);
  const account = getAccount(tenant, grant);
  // May contain any of the client's scopes, not only those of the authorize request.
  const requestedScope = parameters.get('scope');
  const scopes = splitScope(requestedScope ?? grant.scope);
  assertSupportedScopes(scopes, client, tenant);
  if (!tenant.grants.useRefreshToken(token)) throw revokeReplayed(tenant, grant);

  const next = tenant.grants.issueRefreshToken(grant.id);
  return tokenResponse(tenant, { account, grant, policy, client }, scopes, undefined, next);
}

/** A reused code or token may be stolen, so the whole grant is revoked. */
function revokeReplayed(tenant: Tenant, grant: Grant): B2cError {
  tenant.grants.revoke(grant.id);
  return new B2cError('AADB2C90129', 'invalid_grant');
}

function assertIssuedHere(grant: Grant, policy: Policy, client: Client): void {
  if (grant.policy !== policy.path) {
    throw new B2cError('AADB2C90088', 'invalid_grant', grant.policy, policy.path);
  }
  if (grant.clientId !== client.clientId) throw new B2cError('AADB2C90279', 'invalid_grant', client.clientId);
}

function assertAlive(tenant: Tenant, grant: Grant, issuedAt: number, expiresAt: number): void {
  if (grant.revokedAt !== null) throw new B2cError('AADB2C90129', 'invalid_grant');
  if (expiresAt <= tenant.now()) {
    const times = [tenant.now(), issuedAt, expiresAt].map(b2cTimestamp);
    throw new B2cError('AADB2C90080', 'invalid_grant', ...times);
  }
}

/** RFC 7636 sections 4.1 and 4.6. */
function assertVerifier(verifier: string | undefined, challenge: string): void {
  if (!verifier || !/^[\w.~-]{43,128}$/.test(verifier)) throw new B2cError('AADB2C90183', 'invalid_grant');
  const computed = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  if (computed.length !== expected.length || !timingSafeEqual(computed, expected)) {
    throw new B2cError('AADB2C90182', 'invalid_grant');
  }
}

function getAccount(tenant: Tenant, grant: Grant) {
  const account = tenant.accounts.find(grant.accountId);
  if (!account) throw new B2cError('AADB2C90128', 'invalid_grant');
  return account;
}

function required(parameters: RequestParameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new B2cError('AADB2C90083', 'invalid_request', name);
  return value;
}
