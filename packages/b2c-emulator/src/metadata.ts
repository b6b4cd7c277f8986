import type { PolicyEndpoint } from './requests.ts';
import { responseModes } from './tenant/transactions.ts';

/** The metadata of a policy (OpenID Connect Discovery section 3). */
export const metadata: PolicyEndpoint = (_, reply, tenant, policy) => {
  const address = tenant.addressOf(policy);
  return reply.send({
    issuer: tenant.issuerOf(policy),
    authorization_endpoint: `${address}/oauth2/v2.0/authorize`,
    token_endpoint: `${address}/oauth2/v2.0/token`,
    end_session_endpoint: `${address}/oauth2/v2.0/logout`,
    jwks_uri: `${address}/discovery/v2.0/keys`,
    response_modes_supported: responseModes,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: ['openid', 'offline_access', 'profile'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
  });
};

/** The public keys (RFC 7517). B2C serves the same set for every policy. */
export const keys: PolicyEndpoint = (_, reply, tenant) => reply.send({ keys: [tenant.signingKey.publicJwk] });
