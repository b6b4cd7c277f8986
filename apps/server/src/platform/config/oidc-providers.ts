/**
 * The OpenID Providers of the configuration: OIDC_PROVIDERS names them, and each has variables of its own (`OIDC_ACME_ISSUER`).
 * Every wrong value is named; whether a provider answers is not asked here, since one that is down stops no start.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isLoopback } from './loopback.ts';

export type OidcProviderConfig = Readonly<{
  /** As in addresses and in the names of its variables. */
  id: string;
  /** What people call it. */
  name: string;
  issuer: string;
  clientId: string;
  authentication:
    | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
    | { method: 'private_key_jwt'; key: KeyObject };
  scopes: string;
  /** What happens when it does not vouch for the invited address: nobody comes in, or a code is mailed there. */
  email: 'verified' | 'ask';
  /** Further parameters of the authorization request. */
  parameters: Readonly<Record<string, string>>;
}>;

const parts = [
  'ISSUER',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'PRIVATE_KEY_FILE',
  'NAME',
  'SCOPES',
  'AUTH_METHOD',
  'EMAIL',
  'PARAMETERS',
] as const;
/** The variables of a provider as docs/configuration.md lists them. */
export const oidcVariableNames = parts.map((part) => `OIDC_<ID>_${part}`);

/** What the sign-in itself sets. */
const ownParameters = new Set(
  'client_id redirect_uri response_type scope state nonce code_challenge code_challenge_method'.split(' '),
);

const idsOf = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (ids) => ids.every((id) => /^[a-z][a-z0-9]{0,30}$/.test(id) && id !== 'b2c' && id !== 'passkeys'),
    'short names in small letters and digits, with commas, such as acme,google',
  )
  .refine((ids) => new Set(ids).size === ids.length, 'names that differ');

const entraPlaceholder =
  /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/i;
const issuer = z
  .string('the issuer of the provider, such as https://login.example.com')
  .refine(
    isIssuer,
    'the issuer of the provider, an address on https without a query, such as https://login.example.com',
  )
  .refine(
    (text) => !text.includes('/.well-known/'),
    'the issuer alone, without /.well-known/ and what follows',
  )
  .refine(
    (text) => !entraPlaceholder.test(text),
    "your own tenant's issuer, https://login.microsoftonline.com/<tenant id>/v2.0: of common, anybody could sign in",
  );

const provider = z.object({
  ISSUER: issuer,
  CLIENT_ID: z.string('the client id at the provider').max(300, 'a client id of at most 300 characters'),
  CLIENT_SECRET: z.string().max(2_000, 'a secret of at most 2000 characters').optional(),
  PRIVATE_KEY_FILE: z.string().optional(),
  NAME: z
    .string()
    .regex(/^[^\p{Cc}\u2028\u2029]{1,40}$/u, 'a name of at most 40 characters on one line')
    .optional(),
  SCOPES: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((scopes) => scopes.includes('openid'), 'scopes with spaces, openid among them')
    .transform((scopes) => scopes.join(' '))
    .default('openid email profile'),
  AUTH_METHOD: z
    .enum(
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      'client_secret_basic, client_secret_post or private_key_jwt',
    )
    .optional(),
  EMAIL: z.enum(['verified', 'ask'], 'verified or ask').default('verified'),
  PARAMETERS: z
    .string()
    .transform((text) => Object.fromEntries(new URLSearchParams(text)))
    .refine(
      (parameters) => Object.keys(parameters).every((name) => name !== '' && !ownParameters.has(name)),
      'parameters such as hd=example.com, with & between them; none that a sign-in sets itself',
    )
    .default({}),
});

/** Reads them; `problems` has a line for every wrong or missing variable. */
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
  for (const variable of Object.keys(given))
    if (
      variable.startsWith('OIDC_') &&
      variable !== 'OIDC_PROVIDERS' &&
      !known.has(variable) &&
      problems.length === 0
    )
      problems.push(`  ${variable}: belongs to no provider that OIDC_PROVIDERS names, or is not known`);
  const providers = ids.flatMap((id) => {
    const read = readOne(id, given);
    problems.push(...read.problems);
    return read.provider ? [read.provider] : [];
  });
  return { providers, problems };
}

const variableOf = (id: string, part: string) => `OIDC_${id.toUpperCase()}_${part}`;

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
      email: EMAIL,
      parameters: PARAMETERS,
    },
  };
}

function readAuthentication(
  id: string,
  own: Partial<Record<string, string>>,
): OidcProviderConfig['authentication'] | string {
  const { CLIENT_SECRET: secret, PRIVATE_KEY_FILE: file, AUTH_METHOD: method } = own;
  const secretVariable = variableOf(id, 'CLIENT_SECRET');
  const fileVariable = variableOf(id, 'PRIVATE_KEY_FILE');
  if ((secret === undefined) === (file === undefined))
    return `  ${secretVariable}: either it or ${fileVariable} has to be set, not both`;
  if (file === undefined) {
    if (method === 'private_key_jwt') return `  ${fileVariable}: is missing; private_key_jwt needs a key`;
    return {
      method: method === 'client_secret_post' ? method : 'client_secret_basic',
      secret: secret as string,
    };
  }
  if (method !== undefined && method !== 'private_key_jwt')
    return `  ${variableOf(id, 'AUTH_METHOD')}: should be private_key_jwt with a key, or left out`;
  try {
    return { method: 'private_key_jwt', key: createPrivateKey(readFileSync(file, 'utf8')) };
  } catch {
    return `  ${fileVariable}: should be a file that this user can read, with a private key in PEM (PKCS #8)`;
  }
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const isEncrypted = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isEncrypted && search === '' && hash === '' && username === '' && !/[?#]/.test(text);
}
