/** Which ways to sign in the environment asks for, and what does not go together with them or with a site for the public. */
import { isLoopback } from './loopback.ts';
import { safeUrl } from './variable-kinds.ts';

/** These name a real provider, and only together. */
export const providerVariables = [
  'AUTH_BASE_URL',
  'TENANT_NAME',
  'CLIENT_ID',
  'API_SCOPES',
  'SIGN_IN_POLICY',
  'SIGN_UP_POLICY',
  'RESET_PASSWORD_POLICY',
] as const;

const wayKinds = ['b2c', 'oidc', 'passkeys'] as const;
type WayKind = (typeof wayKinds)[number];
export const isWayKind = (text: string): boolean => (wayKinds as readonly string[]).includes(text);

type Given = Record<string, string | undefined>;

/**
 * Whether a kind of way in is one of this site: as SIGN_IN_WITH says, else where it is configured. Where nothing is, it is the
 * provider for development, and passkeys for the public.
 */
export function signsInWith(given: Given, kind: WayKind): boolean {
  const named = given['SIGN_IN_WITH']?.split(',').map((part) => part.trim());
  if (named) return named.includes(kind);
  const hasOidc = given['OIDC_PROVIDERS'] !== undefined;
  const hasB2c = namesB2c(given);
  const isDevelopment = !canBeReached(given) || given['ALLOW_DEVELOPMENT_PARTS'] !== undefined;
  switch (kind) {
    case 'oidc':
      return hasOidc;
    case 'b2c':
      return hasB2c || (!hasOidc && isDevelopment);
    case 'passkeys':
      return !hasB2c && !hasOidc && !isDevelopment;
  }
}

const namesB2c = (given: Given) => providerVariables.some((variable) => given[variable] !== undefined);

/** Codes have to arrive, and browsers give passkeys to names only. */
export function unfitForPasskeys(given: Given): string[] {
  const { hostname = '' } = safeUrl(given['PUBLIC_URL'] ?? '') ?? {};
  return [
    given['SIGN_IN_WITH'] !== undefined &&
      given['SMTP_URL'] === 'off' &&
      '  SMTP_URL: should be your mail server; SIGN_IN_WITH=passkeys e-mails codes',
    /^\[|^[\d.]+$/.test(hostname) &&
      '  PUBLIC_URL: should have a host name, such as http://localhost:3000; passkeys do not work with IP addresses',
  ].filter((line) => line !== false);
}

/** Whether other machines can reach the site, by the address people open or by one it listens on. */
export function canBeReached({
  HOST,
  PUBLIC_URL,
  DEVELOPMENT_PARTS_HOST,
}: {
  HOST?: string | undefined;
  PUBLIC_URL?: string | undefined;
  DEVELOPMENT_PARTS_HOST?: string | undefined;
}): boolean {
  const hosts = [HOST, PUBLIC_URL && safeUrl(PUBLIC_URL)?.hostname, DEVELOPMENT_PARTS_HOST];
  return hosts.some((host) => host && !isLoopback(host));
}

/** What is made for development, or belongs to nobody, and would otherwise be open to the public (statement O7). */
export function unfitForThePublic(given: Given): string[] {
  if (given['ALLOW_DEVELOPMENT_PARTS'] !== undefined || !canBeReached(given)) return [];
  const where = 'PUBLIC_URL, HOST or DEVELOPMENT_PARTS_HOST opens this site to other machines';
  const unlessDemonstration = 'only for a demonstration, set ALLOW_DEVELOPMENT_PARTS=yes';
  const needsNoProvider = given['SIGN_IN_WITH'] === undefined && signsInWith(given, 'passkeys');
  return [
    signsInWith(given, 'b2c') &&
      !namesB2c(given) &&
      `  AUTH_BASE_URL: is missing; ${where}, and the development sign-in service lets anybody in. Set ${providerVariables.join(', ')}, or OIDC_PROVIDERS; ${unlessDemonstration}`,
    needsNoProvider &&
      (given['SMTP_URL'] ?? 'off') === 'off' &&
      `  SIGN_IN_WITH: nothing says how people sign in. Set SMTP_URL to your mail server to let them sign in with passkeys and e-mailed codes, or set a provider (OIDC_PROVIDERS, or ${providerVariables.join(', ')})`,
    given['SMTP_URL'] === undefined &&
      `  SMTP_URL: is missing; ${where}, and the development mailbox delivers to nobody. Set it to your mail server, or to off to send no e-mail; ${unlessDemonstration}`,
    given['ADMIN_EMAIL'] === undefined &&
      `  ADMIN_EMAIL: is missing; ${where}, and admin@example.com belongs to nobody. Set it to the first administrator's address`,
  ].filter((line) => line !== false);
}
