import type { JWTPayload } from 'jose';
import type { Account } from '../tenant/accounts.ts';
import type { Grant } from '../tenant/grants.ts';
import type { Client, Policy } from '../tenant/client-and-policy.ts';
import type { Tenant } from '../tenant/tenant.ts';

type TokenSubject = { account: Account; grant: Grant; policy: Policy; client: Client };

/** Returns the response of the token endpoint (RFC 6749 section 5.1), with B2C's additional members. */
export async function tokenResponse(
  tenant: Tenant,
  subject: TokenSubject,
  scopes: string[],
  nonce: string | undefined,
  refreshToken: string | undefined,
): Promise<Record<string, unknown>> {
  const { account, grant, policy, client } = subject;
  const { accessTokenSeconds, idTokenSeconds } = tenant.lifetimes;
  const now = Math.floor(tenant.now() / 1000);
  const isForApi = scopes.some((scope) => scope === client.clientId || client.scopes.includes(scope));
  return {
    token_type: 'Bearer',
    scope: scopes.join(' '),
    not_before: now,
    ...(isForApi && {
      access_token: await signAccessToken(tenant, subject, scopes, now),
      expires_in: accessTokenSeconds,
      expires_on: now + accessTokenSeconds,
    }),
    ...(scopes.includes('openid') && {
      id_token: await tenant.signingKey.sign({
        ...buildCommonClaims(tenant, subject, now, idTokenSeconds),
        ...(nonce !== undefined && { nonce }),
      }),
      id_token_expires_in: idTokenSeconds,
    }),
    ...(refreshToken !== undefined && {
      refresh_token: refreshToken,
      refresh_token_expires_in: Math.max(0, Math.floor((grant.expiresAt - tenant.now()) / 1000)),
    }),
    client_info: encodeJson({ uid: `${account.id}-${policy.path}`, utid: tenant.id }),
  };
}

/** `scp` contains the short names of the API's scopes. */
function signAccessToken(
  tenant: Tenant,
  subject: TokenSubject,
  scopes: string[],
  now: number,
): Promise<string> {
  const { client } = subject;
  const names = scopes
    .filter((scope) => client.scopes.includes(scope))
    .map((scope) => scope.slice(scope.lastIndexOf('/') + 1));
  return tenant.signingKey.sign({
    ...buildCommonClaims(tenant, subject, now, tenant.lifetimes.accessTokenSeconds),
    azp: client.clientId,
    ...(names.length > 0 && { scp: names.join(' ') }),
  });
}

/**
 * The client is both the application and its API, so both tokens have the client id as audience. No `tid`, as
 * in B2C.
 */
function buildCommonClaims(
  tenant: Tenant,
  { account, grant, policy, client }: TokenSubject,
  now: number,
  lifetimeSeconds: number,
): JWTPayload {
  return {
    ver: '1.0',
    iss: tenant.issuerOf(policy),
    aud: client.clientId,
    sub: account.id,
    oid: account.id,
    iat: now,
    nbf: now,
    exp: now + lifetimeSeconds,
    auth_time: Math.floor(grant.authTime / 1000),
    tfp: policy.name,
    name: account.displayName,
    emails: [account.email],
    ...(account.invitationId !== null && { invitationId: account.invitationId }),
    ...(grant.newUser && { newUser: true }),
  };
}

function encodeJson(value: Record<string, string>): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
