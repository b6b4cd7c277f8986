/** Settings of an emulated tenant and their validation. */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import * as z from 'zod';
import { isEmailAddress } from './tenant/accounts.ts';

const text = z.string().trim().min(1);
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' });
const seconds = z.number().min(0);
const redirectUri = z
  .string()
  .refine(
    (uri) => URL.canParse(uri) && !uri.includes('#') && !/^(javascript|data|blob|vbscript):/i.test(uri),
    'must be an absolute address without "#"',
  );

/** Purpose of a policy. In B2C the policy's user journey defines it. */
const kind = z.enum(['sign-in', 'sign-up', 'reset-password']);
/** Element id of the address field on B2C's sign-in page; it depends on the policy and its page layout. */
const signInField = z.enum(['email', 'logonIdentifier', 'signInName']);
const policy = z.union([kind, z.strictObject({ kind, signInField: signInField.optional() })]);

const client = z.strictObject({
  clientId: z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be the id of the application'),
  redirectUris: z.array(redirectUri).min(1),
  /** Default: the redirect URIs. */
  postLogoutRedirectUris: z.array(redirectUri).optional(),
  scopes: z.array(
    z
      .string()
      .regex(
        /^[\x21-\x7e]+\/[\x21-\x7e]+$/,
        'must be a full scope address such as "https://a.example/api/access"',
      ),
  ),
});

const tls = z.strictObject({ key: text, cert: text }).refine((pem) => {
  try {
    return createSecureContext(pem);
  } catch {
    return false;
  }
}, 'must be a PEM key and its certificate');

const schema = z
  .strictObject({
    /** Tenant name, for example `vestibule` for `/vestibule.onmicrosoft.com/…`. */
    tenant: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/i, 'must be a name such as "vestibule"'),
    tenantId: z.guid('must be a GUID').toLowerCase(),
    /** Default: `https://{tenant}.b2clogin.com/{tenantId}/v2.0/`. `{policy}` is replaced by the policy's name. */
    issuer: httpUrl.optional(),
    /** By policy name. */
    policies: z.record(z.string().regex(/^[\w-]{1,64}$/), policy).refine((policies) => {
      const names = Object.keys(policies).map((name) => name.toLowerCase());
      return names.length > 0 && new Set(names).size === names.length;
    }, 'must name at least one policy, and each once (case is ignored)'),
    /** Application registrations. */
    clients: z.array(client).min(1),
    /** Issuer of `id_token_hint`s. */
    hintIssuer: z.strictObject({ metadataUrl: httpUrl, issuer: text, audience: text }).optional(),
    people: z
      .array(
        z.object({
          email: z.string().refine(isEmailAddress, 'must be an e-mail address'),
          password: text,
          displayName: text,
        }),
      )
      .default([]),
    lifetimes: z
      .strictObject({
        accessTokenSeconds: seconds.default(3600),
        refreshTokenSeconds: seconds.default(86_400),
        sessionSeconds: seconds.default(86_400),
      })
      .prefault({}),
    host: text.default('127.0.0.1'),
    /** 0 selects a free port. */
    port: z.int().min(0).max(65_535),
    allowPublicAddress: z.boolean().default(false),
    /** PEM. */
    tls: tls.optional(),
    /** Origin used by browsers. Default: `http(s)://localhost:{port}`. */
    publicUrl: httpUrl.refine((url) => new URL(url).pathname === '/', 'must have no path').optional(),
    /** JSON file for accounts, sessions, refresh tokens and the signing key. Default: in memory only. */
    databaseFile: text.optional(),
  })
  .refine(({ host, allowPublicAddress }) => allowPublicAddress || isLoopback(host), {
    path: ['host'],
    error:
      'can be reached from other machines and this is a development sign-in: use 127.0.0.1, or set `allowPublicAddress`',
  })
  .refine(
    ({ policies, hintIssuer }) =>
      hintIssuer || !Object.values(policies).some((one) => kindOf(one) === 'sign-up'),
    { path: ['hintIssuer'], error: 'is required by policies of the kind "sign-up"' },
  );

export type EmulatorConfig = z.input<typeof schema>;
export type CheckedConfig = z.output<typeof schema>;
export type HintIssuer = NonNullable<CheckedConfig['hintIssuer']>;
export type PolicyConfig = z.infer<typeof policy>;

/** `name` is the configured one (claim `tfp`); `path` is in lower case (used in URLs). */
export type Policy = { name: string; path: string; kind: z.infer<typeof kind>; signInField: string };

export type Client = CheckedConfig['clients'][number] & { postLogoutRedirectUris: string[] };

/** Validates the settings and adds defaults. Throws one message that lists all problems. */
export function readEmulatorConfig(settings: unknown): CheckedConfig {
  const { success, data, error } = schema.safeParse(settings);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${z.core.toDotPath(path)}: ${message}`);
  throw new Error(`The emulator's configuration is not usable: ${problems.join('; ')}.`);
}

function kindOf(config: PolicyConfig): string {
  return typeof config === 'string' ? config : config.kind;
}

/** Returns whether a listen address is reachable from this machine only. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
