/** Sign-in methods by the environment, and settings that conflict with them or with a public site. */
import { isLoopback, parseUrl } from './addresses.ts';

/** Variables of a B2C tenant; they are required together. */
export const b2cVariables = [
  'AUTH_BASE_URL',
  'TENANT_NAME',
  'CLIENT_ID',
  'API_SCOPES',
  'SIGN_IN_POLICY',
  'SIGN_UP_POLICY',
  'RESET_PASSWORD_POLICY',
] as const;

const signInMethodKinds = ['b2c', 'oidc', 'passkeys'] as const;
type SignInMethodKind = (typeof signInMethodKinds)[number];
export const isSignInMethodKind = (text: string): boolean =>
  (signInMethodKinds as readonly string[]).includes(text);

type Environment = Record<string, string | undefined>;

/**
 * Returns whether a sign-in method is enabled: by SIGN_IN_WITH, otherwise by its configuration. If none is configured,
 * the default is the development provider, or passkeys on a public site.
 */
export function isSignInMethodEnabled(environment: Environment, kind: SignInMethodKind): boolean {
  const named = environment['SIGN_IN_WITH']?.split(',').map((part) => part.trim());
  if (named) return named.includes(kind);
  const isOidcConfigured = environment['OIDC_PROVIDERS'] !== undefined;
  const isB2cConfigured = hasB2cVariables(environment);
  const isDevelopment = !isReachable(environment) || environment['ALLOW_DEVELOPMENT_PARTS'] !== undefined;
  switch (kind) {
    case 'oidc':
      return isOidcConfigured;
    case 'b2c':
      return isB2cConfigured || (!isOidcConfigured && isDevelopment);
    case 'passkeys':
      return !isB2cConfigured && !isOidcConfigured && !isDevelopment;
  }
}

/** Returns whether the variables name a tenant of Azure AD B2C, perhaps incompletely. */
export const hasB2cVariables = (environment: Environment): boolean =>
  b2cVariables.some((variable) => environment[variable] !== undefined);

/** Lists variables that an enabled sign-in method needs. */
export function findSignInProblems(environment: Environment): string[] {
  const missing = hasB2cVariables(environment)
    ? b2cVariables.filter((variable) => environment[variable] === undefined)
    : [];
  return [
    ...missing.map(
      (variable) => `  ${variable}: is missing; a sign-in service needs all of ${b2cVariables.join(', ')}`,
    ),
    ...(isSignInMethodEnabled(environment, 'oidc') && environment['OIDC_PROVIDERS'] === undefined
      ? ['  OIDC_PROVIDERS: is missing; SIGN_IN_WITH=oidc needs at least one']
      : []),
    ...(isSignInMethodEnabled(environment, 'passkeys') ? findPasskeyProblems(environment) : []),
  ];
}

/** Passkeys need a host name as RP id, and their mailed codes a mail server. */
function findPasskeyProblems(environment: Environment): string[] {
  const { hostname = '' } = parseUrl(environment['PUBLIC_URL'] ?? '') ?? {};
  return [
    environment['SIGN_IN_WITH'] !== undefined &&
      environment['SMTP_URL'] === 'off' &&
      '  SMTP_URL: should be your mail server; SIGN_IN_WITH=passkeys e-mails codes',
    /^\[|^[\d.]+$/.test(hostname) &&
      '  PUBLIC_URL: should have a host name, such as http://localhost:3000; passkeys do not work with IP addresses',
  ].filter((line) => line !== false);
}

/** Returns whether other machines can reach the site, by its public URL or a listening address. */
export function isReachable(environment: Environment): boolean {
  const { HOST, PUBLIC_URL, DEVELOPMENT_PARTS_HOST } = environment;
  const hosts = [HOST, PUBLIC_URL && parseUrl(PUBLIC_URL)?.hostname, DEVELOPMENT_PARTS_HOST];
  return hosts.some((host) => host && !isLoopback(host));
}

/** Lists development defaults that would be exposed on a public site (statement O7). */
export function findPublicSiteProblems(environment: Environment): string[] {
  if (environment['ALLOW_DEVELOPMENT_PARTS'] !== undefined || !isReachable(environment)) return [];
  const where = 'PUBLIC_URL, HOST or DEVELOPMENT_PARTS_HOST opens this site to other machines';
  const unlessDemonstration = 'only for a demonstration, set ALLOW_DEVELOPMENT_PARTS=yes';
  const needsNoProvider =
    environment['SIGN_IN_WITH'] === undefined && isSignInMethodEnabled(environment, 'passkeys');
  return [
    isSignInMethodEnabled(environment, 'b2c') &&
      !hasB2cVariables(environment) &&
      `  AUTH_BASE_URL: is missing; ${where}, and the development sign-in service accepts everyone. Set ${b2cVariables.join(', ')}, or OIDC_PROVIDERS; ${unlessDemonstration}`,
    needsNoProvider &&
      (environment['SMTP_URL'] ?? 'off') === 'off' &&
      `  SIGN_IN_WITH: nothing says how people sign in. Set SMTP_URL to your mail server to let them sign in with passkeys and e-mailed codes, or set a provider (OIDC_PROVIDERS, or ${b2cVariables.join(', ')})`,
    environment['SMTP_URL'] === undefined &&
      `  SMTP_URL: is missing; ${where}, and the development mailbox delivers no mail. Set it to your mail server, or to off to send no e-mail; ${unlessDemonstration}`,
    environment['ADMIN_EMAIL'] === undefined &&
      `  ADMIN_EMAIL: is missing; ${where}, and admin@example.com does not exist. Set it to the first administrator's address`,
  ].filter((line) => line !== false);
}

/** `name` is the label shown to users. */
type SignInMethodName = { id: string; kind: SignInMethodKind; name: string };

/** Id of the method with passkeys and mailed codes. */
export const passkeyMethod = 'passkeys';

/** Lists the configured methods, B2C first. */
export const signInMethodsOf = ({
  provider,
  oidc,
  passkeys,
}: {
  provider: object | null;
  oidc: readonly { id: string; name: string }[];
  passkeys: object | null;
}): SignInMethodName[] => [
  ...(provider ? [{ id: 'b2c', kind: 'b2c' as const, name: 'Microsoft' }] : []),
  ...oidc.map(({ id, name }) => ({ id, kind: 'oidc' as const, name })),
  ...(passkeys ? [{ id: passkeyMethod, kind: 'passkeys' as const, name: 'Passkey or code' }] : []),
];

const connectionPrefix = 'org-';

/** Id of the sign-in method of an organization's connection. It is the same after the connection is removed and created again. */
export const connectionMethodOf = (organizationId: string) =>
  connectionPrefix + organizationId.replaceAll('-', '');

export const isConnectionMethod = (methodId: string): boolean => /^org-[0-9a-f]{32}$/.test(methodId);
