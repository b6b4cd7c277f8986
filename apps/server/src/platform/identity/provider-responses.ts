/** Rewrites responses of providers for openid-client, if they deviate from the specifications in form but not in meaning. */
import type * as openid from 'openid-client';

type Json = Record<string, unknown>;

/** Rewrites token responses and, with `isDiscovery`, metadata. Other responses are returned unchanged. */
export const fetchRewritten =
  (isDiscovery: boolean, fetch: openid.CustomFetch): openid.CustomFetch =>
  async (url, request) => {
    const response = await fetch(url, request);
    const isToken = request.body instanceof URLSearchParams && request.body.has('grant_type');
    if (!response.ok || !(isToken || isDiscovery)) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return response;
    const rewritten = isToken ? readTokens(body as Json) : addUserInfoAlgorithms(body as Json);
    return new Response(JSON.stringify(rewritten), response);
  };

/**
 * Returns the values that this site uses. By RFC 6749, section 5.1, a value is a string or absent, but some providers send
 * a list for `scope`, and null or an empty text for absent values.
 */
const readTokens = ({ access_token, token_type, id_token, refresh_token, error }: Json): Json => ({
  access_token,
  token_type,
  error,
  ...(isFilled(id_token) && { id_token }),
  ...(isFilled(refresh_token) && { refresh_token }),
});

const isFilled = (value: unknown) => typeof value === 'string' && value !== '';

/**
 * Lists the algorithms of userinfo signatures, which providers may omit from the metadata: openid-client verifies only
 * signatures with listed algorithms.
 */
function addUserInfoAlgorithms(metadata: Json): Json {
  const { userinfo_signing_alg_values_supported: listed } = metadata;
  if (Array.isArray(listed)) return metadata;
  return {
    ...metadata,
    userinfo_signing_alg_values_supported: publicKeyAlgorithms(
      metadata['id_token_signing_alg_values_supported'],
    ),
  };
}

/**
 * Returns those algorithms of a provider's list that sign with a private key, whose signatures the published keys can
 * verify. Returns RS256 if the list contains none.
 */
export function publicKeyAlgorithms(offered: unknown): string[] {
  const algorithms = (Array.isArray(offered) ? offered : []).filter(
    (name): name is string => typeof name === 'string' && /^(?:RS|PS|ES)\d|^EdDSA$|^Ed25519$/.test(name),
  );
  return algorithms.length > 0 ? algorithms : ['RS256'];
}
