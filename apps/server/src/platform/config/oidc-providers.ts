/**
 * Reads OpenID Providers from the environment: OIDC_PROVIDERS lists their ids, and each has its variables (`OIDC_ACME_ISSUER`). Reports
 * every wrong value. Providers are not contacted, so that an outage does not prevent a start.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isLoopback } from './addresses.ts';
import { b2cVariables } from './sign-in-methods.ts';

export type OidcProviderConfig = Readonly<{
  /** Used in URLs and variable names. */
  id: string;
  /** Label shown to users. */
  name: string;
  issuer: string;
  clientId: string;
  authentication:
    /** `any`: the first method that the provider accepts. */
    | { method: 'client_secret_basic' | 'client_secret_post' | 'any'; secret: string }
    | { method: 'private_key_jwt'; key: KeyObject; keyId?: string };
  scopes: string;
  /**
   * Accounts that can confirm the invited address with a mailed code instead of being refused. `verified`: none;
   * `ask-unverified`: accounts without a verified address; `ask`: all accounts.
   */
  email: 'verified' | 'ask-unverified' | 'ask';
  /** Additional parameters of the authorization request. */
  parameters: Readonly<Record<string, string>>;
  /** Sends requests to the provider instead of the global `fetch`, which reaches private networks too. */
  fetch?: typeof fetch;
}>;

/** Authorization parameters that the variables cannot set: those of the sign-in itself, request objects and client credentials. */
const otherParameters = new Set(
  'client_id redirect_uri response_type scope state nonce code_challenge code_challenge_method request request_uri client_secret client_assertion'.split(
    ' ',
  ),
);

function isParameter([name, value]: [string, string]): boolean {
  if (name === 'prompt') return !value.split(' ').includes('none');
  // Other response modes do not reach the server.
  if (name === 'response_mode') return value === 'query' || value === 'form_post';
  return name !== '' && !otherParameters.has(name);
}

const idsOf = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (ids) => ids.every((id) => /^[a-z][a-z0-9]{0,30}$/.test(id) && id !== 'b2c' && id !== 'passkeys'),
    'short names in lower-case letters and digits, separated by commas, such as acme,google',
  )
  .refine((ids) => new Set(ids).size === ids.length, 'different names');

const issuer = z
  .string('the issuer of the provider, such as https://login.example.com')
  .refine(
    isIssuer,
    'the issuer of the provider, an address on https without a query, such as https://login.example.com',
  )
  .refine(
    (text) => !text.includes('/.well-known/'),
    'the issuer only, without /.well-known/ and what follows',
  )
  .refine(
    (text) => !isB2c(text),
    `the issuer of another provider: Azure AD B2C is configured by ${b2cVariables.join(', ')}`,
  )
  .refine(
    (text) => !isEntraForAll(text),
    "your own tenant's issuer, https://login.microsoftonline.com/<tenant id>/v2.0: with common, users of every tenant could sign in",
  );

const provider = z.object({
  ISSUER: issuer,
  CLIENT_ID: z.string('the client ID at the provider').max(300, 'a client ID of at most 300 characters'),
  CLIENT_SECRET: z.string().max(2_000, 'a secret of at most 2000 characters').optional(),
  PRIVATE_KEY_FILE: z.string().optional(),
  PRIVATE_KEY_ID: z.string().max(300, 'a key id of at most 300 characters').optional(),
  NAME: z
    .string()
    .regex(/^[^\p{Cc}\u2028\u2029]{1,40}$/u, 'a name of at most 40 characters on one line')
    .optional(),
  SCOPES: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((scopes) => scopes.includes('openid'), 'scopes separated by spaces, including openid')
    .transform((scopes) => scopes.join(' '))
    .default('openid email profile'),
  AUTH_METHOD: z
    .enum(
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      'client_secret_basic, client_secret_post or private_key_jwt',
    )
    .optional(),
  EMAIL: z.enum(['verified', 'ask-unverified', 'ask'], 'verified, ask-unverified or ask').optional(),
  PARAMETERS: z
    .string()
    .transform((text) => Object.fromEntries(new URLSearchParams(text)))
    .refine(
      (parameters) => Object.entries(parameters).every(isParameter),
      'parameters such as hd=example.com, separated by &; none that the sign-in sets itself, no request, no secret, no prompt=none, and only query or form_post as response_mode',
    )
    .default({}),
});

const parts = Object.keys(provider.shape);
/** Variable names as listed in docs/configuration.md. */
export const oidcVariableNames = parts.map((part) => `OIDC_<ID>_${part}`);

/** `problems` has a line for every wrong or missing variable. */
export function readOidcProviders(given: Record<string, string | undefined>): {
  providers: OidcProviderConfig[];
  problems: string[];
} {
  const named = idsOf.safeParse(given['OIDC_PROVIDERS'] ?? '');
  const ids = given['OIDC_PROVIDERS'] === undefined ? [] : (named.data ?? []);
  const problems =
    given['OIDC_PROVIDERS'] === undefined || named.success
      ? []
      : [`  OIDC_PROVIDERS: should be ${named.error.issues[0]?.message}`];
  const known = new Set(ids.flatMap((id) => parts.map((part) => variableOf(id, part))));
  const areNamed = problems.length === 0;
  for (const variable of Object.keys(given))
    if (areNamed && variable.startsWith('OIDC_') && variable !== 'OIDC_PROVIDERS' && !known.has(variable))
      problems.push(`  ${variable}: belongs to no provider in OIDC_PROVIDERS, or is unknown`);
  const providers = ids.flatMap((id) => {
    const read = readOne(id, given);
    problems.push(...read.problems);
    return read.provider ? [read.provider] : [];
  });
  // Identities are keyed by issuer and subject, so two providers with one issuer would be indistinguishable.
  for (const [index, { id, issuer: own }] of providers.entries()) {
    const earlier = providers.slice(0, index).find((one) => isSameIssuer(one.issuer, own));
    if (earlier)
      problems.push(`  ${variableOf(id, 'ISSUER')}: should differ from ${variableOf(earlier.id, 'ISSUER')}`);
  }
  return { providers, problems };
}

export const variableOf = (id: string, part: string) => `OIDC_${id.toUpperCase()}_${part}`;

function readOne(
  id: string,
  given: Record<string, string | undefined>,
): { provider?: OidcProviderConfig; problems: string[] } {
  const own = Object.fromEntries(
    parts.flatMap((part) => {
      const value = given[variableOf(id, part)];
      return value === undefined ? [] : [[part, value]];
    }),
  );
  const result = provider.safeParse(own);
  const problems = result.success
    ? []
    : result.error.issues.map(
        ({ path, message }) => `  ${variableOf(id, String(path[0]))}: should be ${message}`,
      );
  const authentication = readAuthentication(id, own);
  if (typeof authentication === 'string') problems.push(authentication);
  if (!result.success || typeof authentication === 'string') return { problems };
  const { ISSUER, CLIENT_ID, NAME, SCOPES, EMAIL, PARAMETERS } = result.data;
  return {
    problems,
    provider: {
      id,
      name: NAME ?? `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`,
      issuer: ISSUER,
      clientId: CLIENT_ID,
      authentication,
      scopes: SCOPES,
      email: EMAIL ?? (given['SMTP_URL'] === 'off' ? 'verified' : 'ask-unverified'),
      parameters: PARAMETERS,
    },
  };
}

function readAuthentication(
  id: string,
  own: Partial<Record<string, string>>,
): OidcProviderConfig['authentication'] | string {
  const { CLIENT_SECRET: secret, PRIVATE_KEY_FILE: file, PRIVATE_KEY_ID: keyId, AUTH_METHOD: method } = own;
  const secretVariable = variableOf(id, 'CLIENT_SECRET');
  const fileVariable = variableOf(id, 'PRIVATE_KEY_FILE');
  if ((secret === undefined) === (file === undefined))
    return `  ${secretVariable}: set either it or ${fileVariable}, not both`;
  if (file === undefined) {
    if (method === 'private_key_jwt') return `  ${fileVariable}: is missing; private_key_jwt needs a key`;
    if (keyId !== undefined)
      return `  ${variableOf(id, 'PRIVATE_KEY_ID')}: should be left out without ${fileVariable}`;
    return {
      method: method === 'client_secret_basic' || method === 'client_secret_post' ? method : 'any',
      secret: secret as string,
    };
  }
  if (method !== undefined && method !== 'private_key_jwt')
    return `  ${variableOf(id, 'AUTH_METHOD')}: should be private_key_jwt with a key, or left out`;
  const key = readKey(file);
  if (!key)
    return `  ${fileVariable}: should be a file that this user can read, with a private key in PEM (PKCS #8): RSA with at least 2048 bits, or P-256`;
  return { method: 'private_key_jwt', key, ...(keyId !== undefined && { keyId }) };
}

/** Returns null unless the key can sign RS256 or ES256. */
function readKey(file: string): KeyObject | null {
  try {
    const key = createPrivateKey(readFileSync(file, 'utf8'));
    const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    const isUsable = key.asymmetricKeyType === 'rsa' ? modulusLength >= 2048 : namedCurve === 'prime256v1';
    return isUsable ? key : null;
  } catch {
    return null;
  }
}

/**
 * Detects Azure AD B2C, whose metadata has another address than its issuer. The issuer of a policy (`/tfp/…`, a setting of the policy) is
 * that of its metadata.
 */
const isB2c = (text: string): boolean =>
  /^https:\/\/[^/]+\.b2clogin\.com(?::443)?\/(?!\/*tfp\/)/i.test(
    URL.canParse(text) ? new URL(text).href : '',
  );

/** Detects Entra's multi-tenant issuers in any spelling. */
export function isEntraForAll(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  const [tenant = ''] = pathname.split('/').filter(Boolean);
  return hostname === 'login.microsoftonline.com' && /^(?:common|organizations|consumers)$/i.test(tenant);
}

export function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const isEncrypted = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isEncrypted && search === '' && hash === '' && username === '' && !/[?#]/.test(text);
}

const withoutSlash = (address: string) => address.replace(/\/$/, '');

/** Address of the metadata (OpenID Connect Discovery 1.0, section 4). */
export const metadataAddressOf = (address: string) =>
  `${withoutSlash(address)}/.well-known/openid-configuration`;

/** Ignores a slash at the end, which Auth0 and authentik require and which is missing in the address of their metadata. */
export const isSameIssuer = (one: string, other: string): boolean =>
  URL.canParse(one) && withoutSlash(new URL(one).href) === withoutSlash(new URL(other).href);
