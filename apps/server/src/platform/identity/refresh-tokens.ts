/** Shows a refresh token to the provider, and reads what takes its place. */
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { prepareClient } from './discover-provider.ts';

/** `idToken` is null where there is none that can be read. */
type Renewed = { refreshToken: string | null; idToken: { text: string; sub: unknown } | null };

/**
 * Throws what openid-client throws. The provider has taken the old token back when it answers: whatever is wrong with the id token beside
 * the new one, the new one must not be lost. So openid-client does not see the id token, and nobody looks at its signature: it comes
 * from the provider itself, over TLS (OpenID Connect Core, section 3.1.3.7), and opens nothing.
 */
export async function refresh(
  provider: OidcProviderConfig,
  metadata: openid.ServerMetadata,
  refreshToken: string,
): Promise<Renewed> {
  let idToken: Renewed['idToken'] = null;
  const { client, ask } = prepareClient(provider, metadata);
  client[openid.customFetch] = async (url, request) => {
    const response = await ask(url, request);
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
