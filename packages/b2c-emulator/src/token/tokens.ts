import type { Client, Policy } from '../emulator-config.ts';
import type { Grant } from '../tenant/store.ts';
import type { Tenant } from '../tenant/tenant.ts';

const idTokenSeconds = 3600;

/**
 * Returns the response of the token endpoint (RFC 6749 section 5.1), with B2C's additional members. The client is both
 * the application and its API, so both tokens have the client id as audience. No `tid`, as in B2C.
 */
export async function tokenResponse(
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
