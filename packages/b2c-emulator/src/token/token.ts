/** The token endpoint for both grant types. Token contents are in tokens.ts, storage in tenant/tenant.ts. */
import { createHash } from 'node:crypto';
import { assertSupportedScopes } from '../authorize/authorize.ts';
import { B2cError, b2cTimestamp } from '../b2c-error.ts';
import { splitWords, type GetParameter } from '../requests.ts';
import type { Client, Policy } from '../emulator-config.ts';
import type { Grant } from '../tenant/store.ts';
import type { Tenant } from '../tenant/tenant.ts';

/**
 * Handles a token request (RFC 6749 sections 4.1.3 and 6); throws a B2cError. `basicClientId` is the user
 * name of the Authorization header. Client secrets are not checked, PKCE is.
 */
export function redeem(tenant: Tenant, policy: Policy, get: GetParameter, basicClientId: string | undefined) {
  const required = (name: string): string => {
    const value = get(name);
    if (value === undefined) throw new B2cError('AADB2C90083', 'invalid_request', name);
    return value;
  };
  const grantType = required('grant_type');
  const clientId = basicClientId ?? required('client_id');
  const client = tenant.clients.get(clientId);
  if (!client) throw new B2cError('AADB2C90018', 'invalid_client', clientId, tenant.domain);
  if (grantType === 'authorization_code') {
    return redeemCode(
      tenant,
      policy,
      client,
      required('code'),
      required('redirect_uri'),
      get('code_verifier'),
    );
  }
  if (grantType === 'refresh_token')
    return refresh(tenant, policy, client, required('refresh_token'), get('scope'));
  throw new B2cError('AADB2C90086', 'unsupported_grant_type', grantType);
}

function redeemCode(
  tenant: Tenant,
  policy: Policy,
  client: Client,
  code: string,
  redirectUri: string,
  verifier: string | undefined,
) {
  const grant = tenant.grants.findByCode(code);
  if (!grant) throw new B2cError('AADB2C90085', 'invalid_grant');
  assertIssuedHere(grant, policy, client);
  if (grant.code.isUsed) throw revokeReplayed(tenant, grant);
  assertAlive(tenant, grant, grant.code.expiresAt);
  if (redirectUri !== grant.code.redirectUri) {
    throw new B2cError('AADB2C90006', 'invalid_grant', redirectUri, client.clientId);
  }
  assertVerifier(verifier, grant.code.codeChallenge);
  tenant.grants.useCode(grant);
  const {
    scopes,
    code: { nonce },
  } = grant;
  const refreshToken = scopes.includes('offline_access') ? tenant.grants.issueRefreshToken(grant) : undefined;
  return tokenResponse(tenant, { grant, policy, client }, scopes, { nonce, refreshToken });
}

function refresh(tenant: Tenant, policy: Policy, client: Client, token: string, scope: string | undefined) {
  const grant = tenant.grants.findByRefreshToken(token);
  if (!grant) throw new B2cError('AADB2C90085', 'invalid_grant');
  assertIssuedHere(grant, policy, client);
  assertAlive(tenant, grant, grant.expiresAt);
  // May contain any of the client's scopes, not only those of the authorize request.
  const scopes = scope === undefined ? grant.scopes : splitWords(scope);
  assertSupportedScopes(scopes, client, tenant);
  if (!tenant.grants.useRefreshToken(grant, token)) throw revokeReplayed(tenant, grant);
  const refreshToken = tenant.grants.issueRefreshToken(grant);
  return tokenResponse(tenant, { grant, policy, client }, scopes, { refreshToken });
}

/** A reused code or token may be stolen, so the whole grant is revoked. */
function revokeReplayed(tenant: Tenant, grant: Grant): B2cError {
  tenant.grants.revoke(grant);
  return new B2cError('AADB2C90129', 'invalid_grant');
}

function assertIssuedHere(grant: Grant, policy: Policy, client: Client): void {
  if (grant.policy !== policy.path) {
    throw new B2cError('AADB2C90088', 'invalid_grant', grant.policy, policy.path);
  }
  if (grant.clientId !== client.clientId) throw new B2cError('AADB2C90279', 'invalid_grant', client.clientId);
}

function assertAlive(tenant: Tenant, grant: Grant, expiresAt: number): void {
  if (grant.isRevoked) throw new B2cError('AADB2C90129', 'invalid_grant');
  if (expiresAt > tenant.now()) return;
  const times = [tenant.now(), grant.createdAt, expiresAt].map(b2cTimestamp);
  throw new B2cError('AADB2C90080', 'invalid_grant', ...times);
}

/** RFC 7636 sections 4.1 and 4.6. */
function assertVerifier(verifier: string | undefined, challenge: string): void {
  if (!verifier || !/^[\w.~-]{43,128}$/.test(verifier)) throw new B2cError('AADB2C90183', 'invalid_grant');
  const computed = createHash('sha256').update(verifier).digest('base64url');
  if (computed !== challenge) throw new B2cError('AADB2C90182', 'invalid_grant');
}

const idTokenSeconds = 3600;

/**
 * Returns the response of the token endpoint (RFC 6749 section 5.1), with B2C's additional members. The client is both
 * the application and its API, so both tokens have the client ID as audience. No `tid`, as in B2C.
 */
async function tokenResponse(
  tenant: Tenant,
  { grant, policy, client }: { grant: Grant; policy: Policy; client: Client },
  scopes: string[],
  { nonce, refreshToken }: { nonce?: string | undefined; refreshToken: string | undefined },
): Promise<Record<string, unknown>> {
  const account = tenant.accounts.find(grant.accountId)!;
  const { accessTokenSeconds } = tenant.lifetimes;
  const now = Math.floor(tenant.now() / 1000);
  const claims = {
    ver: '1.0',
    iss: tenant.issuerOf(policy),
    aud: client.clientId,
    sub: account.id,
    oid: account.id,
    iat: now,
    nbf: now,
    auth_time: Math.floor(grant.authTime / 1000),
    tfp: policy.name,
    name: account.displayName,
    emails: [account.email],
    ...(account.invitationId !== null && { invitationId: account.invitationId }),
    ...(grant.newUser && { newUser: true }),
  };
  const apiScopes = scopes.filter((scope) => client.scopes.includes(scope));
  /** Short names of the API's scopes. */
  const scp = apiScopes.map((scope) => scope.slice(scope.lastIndexOf('/') + 1)).join(' ');
  return {
    token_type: 'Bearer',
    scope: scopes.join(' '),
    not_before: now,
    ...((apiScopes.length > 0 || scopes.includes(client.clientId)) && {
      access_token: await tenant.signingKey.sign({
        ...claims,
        exp: now + accessTokenSeconds,
        azp: client.clientId,
        ...(scp && { scp }),
      }),
      expires_in: accessTokenSeconds,
      expires_on: now + accessTokenSeconds,
    }),
    ...(scopes.includes('openid') && {
      id_token: await tenant.signingKey.sign({
        ...claims,
        exp: now + idTokenSeconds,
        ...(nonce !== undefined && { nonce }),
      }),
      id_token_expires_in: idTokenSeconds,
    }),
    ...(refreshToken !== undefined && {
      refresh_token: refreshToken,
      refresh_token_expires_in: Math.max(0, Math.floor((grant.expiresAt - tenant.now()) / 1000)),
    }),
    client_info: Buffer.from(
      JSON.stringify({ uid: `${account.id}-${policy.path}`, utid: tenant.id }),
    ).toString('base64url'),
  };
}
