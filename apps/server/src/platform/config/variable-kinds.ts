/** Kinds of environment variables, each with the description used in error messages. */
import { isIP } from 'node:net';
import { lifetimeMaximumDays } from '@vestibule/contract/rules/limits';
import * as z from 'zod';
import { canonicalEmail } from '../identity/canonical-email.ts';
import { isLoopback } from './loopback.ts';

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
export function numberVariable(variable: keyof typeof variableBounds, description: string) {
  const [minimum, maximum] = variableBounds[variable];
  const sentence = `${description}, ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, sentence)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, sentence);
}
export const nameVariable = (description: string) => z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, description);
export const emailVariable = z
  .string()
  .refine((text) => canonicalEmail(text) !== null, 'an e-mail address such as name@example.com');

/** http(s) origin without a path; a trailing slash is removed. */
const origin = (description: string) =>
  z
    .string()
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(
      (text) => /^https?:$/.test(parseUrl(text)?.protocol ?? '') && parseUrl(text)?.origin === text,
      description,
    );

/** Requires https except on this machine, since tokens and passwords are sent to this origin. */
export const encryptedOriginVariable = (description: string) =>
  origin(description).refine(
    (text) => isLoopbackUrl(text) || text.startsWith('https:'),
    `${description}, on https`,
  );

/** Accepts `s3://bucket?…` with only region and endpoint, or `azure://account/container`. */
export function isStorageUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.username || url.password || url.hash) return false;
  const names = [...url.searchParams.keys()];
  const endpoint = parseUrl(url.searchParams.get('endpoint') ?? 'https://default');
  if (!endpoint || !/^https?:$/.test(endpoint.protocol) || url.hostname === '') return false;
  return url.protocol === 's3:'
    ? names.every((one) => one === 'region' || one === 'endpoint')
    : url.protocol === 'azure:' &&
        /^\/[a-z0-9-]{3,63}$/.test(url.pathname) &&
        names.every((one) => one === 'endpoint');
}

function isLoopbackUrl(address: string): boolean {
  return isLoopback(parseUrl(address)?.hostname ?? '');
}

/** Accepts an address or a network in CIDR notation (RFC 4632). */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    maxBits >= 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
}

/** Returns null instead of throwing. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
