/** Every environment variable of the server, except those of oidc-providers.ts and trace-variables.ts. */
import { isIP } from 'node:net';
import { lifetimeMaximumDays, productNameMaximum } from '@vestibule/contract/rules/limits';
import * as z from 'zod';
import { canonicalEmail } from '../identity/canonical-email.ts';
import { isLoopback, parseUrl } from './addresses.ts';
import { normalizeDatabaseUrl, parseDatabaseUrl } from './database-url.ts';
import { isSignInMethodKind } from './sign-in-methods.ts';

const portBounds = [0, 65_535] as const;
const megabyteBounds = [1, 100_000_000] as const;
const secondBounds = [1, 999_999_999] as const;

/** Minimum and maximum of the numeric variables. */
export const variableBounds = {
  PORT: portBounds,
  IDP_PORT: portBounds,
  MAILBOX_SMTP_PORT: portBounds,
  MAILBOX_PORT: portBounds,
  IDP_ACCESS_TOKEN_SECONDS: secondBounds,
  IDP_REFRESH_TOKEN_SECONDS: secondBounds,
  IDP_SESSION_SECONDS: secondBounds,
  SHUTDOWN_DELAY_SECONDS: [0, 120],
  INVITATION_LIFETIME_DAYS: [1, lifetimeMaximumDays],
  ATTACHMENT_FILE_LIMIT_MB: megabyteBounds,
  ATTACHMENT_QUOTA_MB: megabyteBounds,
  ATTACHMENT_SITE_QUOTA_MB: megabyteBounds,
} as const;

/** Whole number in decimal digits within the variable's bounds. The error message starts with `description`. */
function numberVariable(variable: keyof typeof variableBounds, description: string) {
  const [minimum, maximum] = variableBounds[variable];
  const sentence = `${description}, ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, sentence)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, sentence);
}
const nameVariable = (description: string) => z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, description);
const emailVariable = z
  .string()
  .refine((text) => canonicalEmail(text) !== null, 'an e-mail address such as name@example.com');

/**
 * http(s) origin without a path, as browsers send it: without a trailing slash, capital letters, the default port and a full stop at the
 * end of the host.
 */
const origin = (description: string) =>
  z
    .string()
    .transform((text) => originOf(text) ?? text)
    .refine((text) => originOf(text) !== null, description);

function originOf(text: string): string | null {
  const url = parseUrl(text.replace(/\/+$/, ''));
  if (url) url.hostname = url.hostname.replace(/\.$/, '');
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}

/** Requires https except on this machine, since tokens and passwords are sent to this origin. */
const encryptedOriginVariable = (description: string) =>
  origin(description).refine(
    (text) => isLoopbackUrl(text) || text.startsWith('https:'),
    `${description}, on https`,
  );

/** Accepts `s3://bucket?…` with only region and endpoint, or `azure://account/container`. */
function isStorageUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.username || url.password || url.hash) return false;
  const names = [...url.searchParams.keys()];
  const endpoint = parseUrl(url.searchParams.get('endpoint') ?? 'https://default');
  if (!endpoint || !/^https?:$/.test(endpoint.protocol) || url.hostname === '') return false;
  return url.protocol === 's3:'
    ? /^\/?$/.test(url.pathname) && names.every((one) => one === 'region' || one === 'endpoint')
    : url.protocol === 'azure:' &&
        /^\/[a-z0-9-]{3,63}$/.test(url.pathname) &&
        names.every((one) => one === 'endpoint');
}

const isLoopbackUrl = (address: string): boolean => isLoopback(parseUrl(address)?.hostname ?? '');

/** Accepts an address or a network in CIDR notation (RFC 4632). */
function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    maxBits >= 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
}

/** Accepts an address, or an address and a port: `192.0.2.1:53`, `[2001:db8::1]:53`. */
const isDnsServer = (text: string): boolean =>
  isIP(text) !== 0 || (isIP(text.replace(/^\[?(.+?)\]?:\d+$/, '$1')) !== 0 && URL.canParse(`tcp://${text}`));

const permission = z.literal('yes', 'yes, or left out').optional();

export const defaultPort = 3000;

/** Generated passwords, such as those of Amazon SES, contain characters that end the host part of a URL. */
const encodedPassword = 'in the password, % / ? # @ are written %25 %2F %3F %23 %40';
const hasUnencodedPassword = (text: string) => /^[^?]*#|^\w+:\/\/[^/?]*\/[^?]*@/.test(text);

function isMailServerUrl(text: string): boolean {
  const { protocol = '', hostname = '' } = parseUrl(text) ?? {};
  return /^smtps?:$/.test(protocol) && hostname !== '' && !hasUnencodedPassword(text);
}

const postgresAddress = (what: string) =>
  z
    .string()
    .transform(normalizeDatabaseUrl)
    .refine(
      (text) => parseDatabaseUrl(text) !== null && !hasUnencodedPassword(text),
      `${what}; with several hosts, host1:5432,host2:5432 and target_session_attrs; ${encodedPassword}`,
    );

/** Requires a choice of the server that accepts changes if there are several. */
const primaryAddress = (what: string) =>
  postgresAddress(what).refine((text) => {
    const { hosts, target } = parseDatabaseUrl(text) ?? { hosts: [], target: 'any' };
    return target === 'read-write' || target === 'primary' || (target === 'any' && hosts.length < 2);
  }, 'with several hosts, add target_session_attrs=read-write or primary: the server has to accept changes');

/** Empty variables were removed before, so no schema has to accept an empty text. */
export const variables = z.object({
  PORT: numberVariable('PORT', 'a port number').default(defaultPort),
  HOST: z
    .string()
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1'))
    .default('127.0.0.1'),
  PUBLIC_URL: encryptedOriginVariable(
    'the address people open, such as https://portal.example.com, without a path',
  ).optional(),
  DATA_DIR: z.string().default('.data'),
  ARCHIVE_DIR: z.string().optional(),
  DATABASE_URL: primaryAddress('postgres://user:password@host:5432/database').optional(),
  DATABASE_OWNER_URL: primaryAddress(
    'postgres://owner:password@host:5432/database, the database of DATABASE_URL as its owner',
  ).optional(),
  DATABASE_READ_URL: postgresAddress(
    'postgres://user:password@host:5432/database, a streaming replica of DATABASE_URL',
  ).optional(),
  SECRET: z
    .string()
    .min(32, 'a random text of 32 characters or more, the same on every server process')
    .optional(),
  SECRET_PREVIOUS: z.string().min(32, 'the SECRET that is being replaced, 32 characters or more').optional(),
  TRUST_PROXY: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (list) => list.every(isAddressOrNetwork),
      'addresses or networks of your proxies, such as 10.0.0.0/8, separated by commas',
    )
    .optional(),
  DNS_SERVERS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (list) => list.every(isDnsServer),
      'addresses of DNS servers, such as 192.0.2.1 or 192.0.2.1:5353, separated by commas',
    )
    .optional(),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'fatal, error, warn, info, debug, trace or silent',
    )
    .default('info'),
  METRICS_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e]{16,200}$/,
      'a random text of 16 to 200 characters: letters of ASCII, digits and signs, without spaces',
    )
    .optional(),
  ALLOW_DEVELOPMENT_PARTS: permission,
  DEVELOPMENT_PARTS_HOST: z.string().default('127.0.0.1'),
  SHUTDOWN_DELAY_SECONDS: numberVariable('SHUTDOWN_DELAY_SECONDS', 'a number of seconds').optional(),

  SIGN_IN_WITH: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (methods) => methods.every(isSignInMethodKind),
      'b2c, oidc, passkeys, or several of them separated by commas',
    )
    .optional(),
  PASSKEYS_OF_OTHER_HOST: z.literal('keep', 'keep, or left out').optional(),
  OIDC_PROVIDERS: z.string().optional(),
  AUTH_BASE_URL: encryptedOriginVariable(
    'the address of the sign-in service, such as https://contoso.b2clogin.com',
  ).optional(),
  TENANT_NAME: nameVariable('the name of the tenant, such as contoso')
    .transform((name) => name.replace(/\.onmicrosoft\.com$/i, ''))
    .optional(),
  CLIENT_ID: nameVariable('the client ID of the application registration').optional(),
  API_AUDIENCE: nameVariable('the client ID that access tokens are issued for').optional(),
  API_SCOPES: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine(
      (list) => list.length > 0,
      'the scope of the API, such as https://contoso.onmicrosoft.com/api/access',
    )
    .optional(),
  SIGN_IN_POLICY: nameVariable('the name of the sign-in policy, such as B2C_1A_signin').optional(),
  SIGN_UP_POLICY: nameVariable('the name of the sign-up policy, such as B2C_1A_signup_invitation').optional(),
  RESET_PASSWORD_POLICY: nameVariable(
    'the name of the password-reset policy, such as B2C_1A_passwordreset',
  ).optional(),
  INVITATION_CLAIM: nameVariable("the claim that carries the invitation's id").default('invitationId'),

  IDP_PORT: numberVariable('IDP_PORT', 'a port number').optional(),
  IDP_ACCESS_TOKEN_SECONDS: numberVariable('IDP_ACCESS_TOKEN_SECONDS', 'a number of seconds').optional(),
  IDP_REFRESH_TOKEN_SECONDS: numberVariable('IDP_REFRESH_TOKEN_SECONDS', 'a number of seconds').optional(),
  IDP_SESSION_SECONDS: numberVariable('IDP_SESSION_SECONDS', 'a number of seconds').optional(),

  SMTP_URL: z
    .string()
    .refine(
      (text) => text === 'off' || isMailServerUrl(text),
      `smtp://user:password@host:587, smtps://…, or off to send no e-mail; ${encodedPassword}`,
    )
    .optional(),
  SMTP_ALLOW_PLAIN_TEXT: permission,
  MAIL_FROM: emailVariable.optional(),
  MAILBOX_SMTP_PORT: numberVariable('MAILBOX_SMTP_PORT', 'a port number').default(2525),
  MAILBOX_PORT: numberVariable('MAILBOX_PORT', 'a port number').optional(),
  MAILBOX_DIRECTORY: z.string().optional(),

  ADMIN_EMAIL: emailVariable.optional(),
  SUPPORT_EMAIL: emailVariable.default('support@example.com'),
  PRODUCT_NAME: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}\u2028\u2029]+$/u, `a name of at most ${productNameMaximum} characters on one line`)
    .max(productNameMaximum, `a name of at most ${productNameMaximum} characters on one line`)
    .default('Vestibule'),
  INVITATION_LIFETIME_DAYS: numberVariable('INVITATION_LIFETIME_DAYS', 'days').default(7),
  ATTACHMENT_STORAGE: z
    .string()
    .refine(
      isStorageUrl,
      's3://bucket?region=eu-central-1&endpoint=https://…, without a folder, or azure://account/container?endpoint=https://…; left out, files are kept in DATA_DIR',
    )
    .optional(),
  ATTACHMENT_STORAGE_KEY_ID: z.string().max(200, 'the id of an access key').optional(),
  ATTACHMENT_STORAGE_KEY: z.string().max(2000, 'the access key of the storage').optional(),
  ATTACHMENT_FILE_LIMIT_MB: numberVariable('ATTACHMENT_FILE_LIMIT_MB', 'a number of megabytes').default(
    5 * 1024,
  ),
  ATTACHMENT_QUOTA_MB: numberVariable('ATTACHMENT_QUOTA_MB', 'a number of megabytes').default(20 * 1024),
  ATTACHMENT_SITE_QUOTA_MB: numberVariable('ATTACHMENT_SITE_QUOTA_MB', 'a number of megabytes').default(
    200 * 1024,
  ),
  CLAMD_URL: z
    .string()
    .refine((text) => /^tcp:\/\/[^/:@]+:\d+$/.test(text) && URL.canParse(text), 'tcp://host:3310')
    .optional(),
  WEBHOOKS_TO_PRIVATE_ADDRESSES: permission,
  PROVIDERS_ON_PRIVATE_ADDRESSES: permission,
  GRID_LICENSE_KEY: z.string().max(2000, 'a key of at most 2000 characters').optional(),
});

export type Variables = z.output<typeof variables>;
