/**
 * Sends the secret of a client in the form that its provider reads. RFC 6749, section 2.3.1, requires percent-encoding for HTTP
 * Basic authentication, but several providers do not decode it, and others read only the form body.
 */
import type * as openid from 'openid-client';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';

type SecretForm = 'basic' | 'post' | 'unencoded basic';
type Credentials = { id: string; secret: string };

/** Form that each provider accepted last, in this process. */
const accepted = new WeakMap<OidcProviderConfig, SecretForm>();

/** Returns null until the provider has accepted the secret. */
export const acceptedSecretForm = (provider: OidcProviderConfig): SecretForm | null =>
  accepted.get(provider) ?? null;

/**
 * Repeats requests that have a `client_secret` with each form of the secret, until the provider accepts the client. Returns the first
 * response if it accepts none. Providers authenticate the client before they check a code or a token, so repeating uses up neither.
 */
export const fetchWithSecret =
  (
    provider: OidcProviderConfig,
    metadata: openid.ServerMetadata | undefined,
    fetch: openid.CustomFetch,
  ): openid.CustomFetch =>
  async (url, request) => {
    const credentials = readCredentials(request.body);
    if (!credentials) return fetch(url, request);
    let refused: Response | undefined;
    for (const form of listForms(provider, credentials, metadata?.token_endpoint_auth_methods_supported)) {
      const response = await fetch(url, withSecret(request, credentials, form));
      const verdict = await readVerdict(response);
      if (verdict === 'accepted') accepted.set(provider, form);
      if (verdict !== 'refused') return response;
      refused ??= response;
    }
    return refused as Response;
  };

function readCredentials(body: unknown): Credentials | null {
  if (!(body instanceof URLSearchParams)) return null;
  const [id, secret] = [body.get('client_id'), body.get('client_secret')];
  return id === null || secret === null ? null : { id, secret };
}

function listForms(
  provider: OidcProviderConfig,
  credentials: Credentials,
  offered: string[] | undefined,
): Iterable<SecretForm> {
  const { method } = provider.authentication;
  const isSame = basicCredentials(credentials, encodeId, encodeSecret) === basicCredentials(credentials);
  const unencoded: SecretForm[] = isSame ? [] : ['unencoded basic'];
  if (method === 'client_secret_post') return ['post'];
  const last = accepted.get(provider);
  const known: SecretForm[] = last === undefined ? [] : [last];
  if (method === 'client_secret_basic') return new Set([...known, 'basic', ...unencoded]);
  const isPostOnly = offered?.includes('client_secret_post') && !offered.includes('client_secret_basic');
  return new Set([
    ...known,
    ...(isPostOnly ? (['post', 'basic'] as const) : (['basic', 'post'] as const)),
    ...unencoded,
  ]);
}

type Request = Parameters<openid.CustomFetch>[1];

function withSecret(request: Request, credentials: Credentials, form: SecretForm): Request {
  if (form === 'post') return request;
  const body = new URLSearchParams(request.body as URLSearchParams);
  body.delete('client_id');
  body.delete('client_secret');
  const basic =
    form === 'basic' ? basicCredentials(credentials, encodeId, encodeSecret) : basicCredentials(credentials);
  const authorization = `Basic ${Buffer.from(basic).toString('base64')}`;
  return { ...request, body, headers: { ...request.headers, authorization } };
}

const unchanged = (text: string) => text;
const basicCredentials = (
  { id, secret }: Credentials,
  encodeClientId = unchanged,
  encodeClientSecret = unchanged,
) => `${encodeClientId(id)}:${encodeClientSecret(secret)}`;

/** Encodes only characters that a decoder would change, so that most secrets read the same with and without decoding. */
const encodeSecret = (text: string) => text.replaceAll(/[^!-~]|[%+]/gu, encodeURIComponent);
/** A colon ends the id. */
const encodeId = (text: string) => encodeSecret(text).replaceAll(':', '%3A');

/** Errors that say, or may say, that the provider did not find the credentials in the request (RFC 6749, section 5.2). */
const refusalCodes = new Set<unknown>(['invalid_client', 'unauthorized_client', 'invalid_request']);

async function readVerdict(response: Response): Promise<'accepted' | 'refused' | 'unknown'> {
  if (response.ok) return 'accepted';
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const code = (body as { error?: unknown } | null)?.error;
  if (code === 'invalid_grant') return 'accepted';
  return response.status === 401 || (response.status < 500 && refusalCodes.has(code)) ? 'refused' : 'unknown';
}
