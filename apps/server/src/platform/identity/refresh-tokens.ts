/** Exchanges a refresh token at the provider. */
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { prepareClient } from './discover-provider.ts';

/** `idToken` is null if there is none or it cannot be parsed. */
type Renewed = { refreshToken: string | null; idToken: { text: string; sub: unknown } | null };

/**
 * Throws the errors of openid-client. The provider has already invalidated the old token when it responds, so an invalid id token must not
 * cause the new refresh token to be lost. Therefore openid-client does not see the id token, and its signature is not verified: it comes
 * from the provider over TLS (OpenID Connect Core, section 3.1.3.7) and grants no access.
 */
export async function refreshTokens(
  provider: OidcProviderConfig,
  metadata: openid.ServerMetadata,
  refreshToken: string,
): Promise<Renewed> {
  let idToken: Renewed['idToken'] = null;
  const { client, providerFetch } = prepareClient(provider, metadata);
  client[openid.customFetch] = async (url, request) => {
    const response = await providerFetch(url, request);
    const body = (await response
      .clone()
      .json()
      .catch(() => null)) as { id_token?: unknown } | null;
    if (!response.ok || body?.id_token === undefined) return response;
    const { id_token: found, ...rest } = body;
    idToken = readIdToken(found);
    return Response.json(rest);
  };
  const { refresh_token: next } = await openid.refreshTokenGrant(client, refreshToken);
  return { refreshToken: next ?? null, idToken };
}

function readIdToken(text: unknown): Renewed['idToken'] {
  try {
    return { text: text as string, sub: decodeJwt(text as string).sub };
  } catch {
    return null;
  }
}
