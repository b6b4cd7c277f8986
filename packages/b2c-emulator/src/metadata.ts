import type { Policy } from './tenant/client-and-policy.ts';
import type { Tenant } from './tenant/tenant.ts';

/** Returns the metadata of a policy (OpenID Connect Discovery section 3). */
export function buildMetadata(tenant: Tenant, policy: Policy): Record<string, unknown> {
  const address = tenant.addressOf(policy);
  return {
    issuer: tenant.issuerOf(policy),
    authorization_endpoint: `${address}/oauth2/v2.0/authorize`,
    token_endpoint: `${address}/oauth2/v2.0/token`,
    end_session_endpoint: `${address}/oauth2/v2.0/logout`,
    jwks_uri: `${address}/discovery/v2.0/keys`,
    response_modes_supported: ['query', 'fragment', 'form_post'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: ['openid', 'offline_access', 'profile'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'nbf',
      'auth_time',
      'nonce',
      'oid',
      'name',
      'emails',
      'newUser',
      'invitationId',
      'tfp',
    ],
  };
}

/** Returns the public keys (RFC 7517). B2C serves the same set for every policy. */
export function publicKeySet(tenant: Tenant): Record<string, unknown> {
  return { keys: [tenant.signingKey.publicJwk] };
}
