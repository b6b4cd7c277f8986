/**
 * Reads and checks all environment variables at start and reports every bad one with the expected value (statement O4).
 * With the embedded defaults no variable is required. Only this module reads `process.env`.
 */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { megabyte } from '@vestibule/contract/texts/size';
import type * as z from 'zod';
import { defaultSender } from './addresses.ts';
import { oidcVariableNames, readOidcProviders, type OidcProviderConfig } from './oidc-providers.ts';
import {
  isReachable,
  providerVariables,
  isSignInMethodEnabled,
  findPasskeyProblems,
  findPublicSiteProblems,
} from './sign-in-methods.ts';
import { StartUpError } from './start-up-error.ts';
import { readTraces, traceVariableNames, type TraceConfig } from './trace-variables.ts';
import { defaultPort, variables, type Variables } from './variables.ts';

/** Longer than two health checks of a load balancer, and within the ten seconds that container platforms allow. */
export const publicShutdownDelaySeconds = 5;

/** Secrets that can be set by files, as container platforms provide them: `SECRET_FILE` names a file whose text is `SECRET`. */
const secretVariables = [
  'SECRET',
  'SECRET_PREVIOUS',
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_READ_URL',
  'SMTP_URL',
  'METRICS_TOKEN',
  'ATTACHMENT_STORAGE_KEY_ID',
  'ATTACHMENT_STORAGE_KEY',
  'GRID_LICENSE_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
];
const clientSecret = /^OIDC_[A-Z0-9]+_CLIENT_SECRET$/;
const suffix = '_FILE';
const maxBytes = 64 * 1024;

const secretFileNames = [...secretVariables, 'OIDC_<ID>_CLIENT_SECRET'].map((name) => name + suffix);

/** Variable names as listed in docs/configuration.md. */
export const variableNames: string[] = [
  ...Object.keys(variables.shape),
  ...oidcVariableNames,
  ...traceVariableNames,
  ...secretFileNames,
];

/** Tenant of the embedded provider. The authority is https because the browser's library requires it. */
const embeddedProvider = {
  authBaseUrl: 'https://vestibule.b2clogin.com',
  tenantName: 'vestibule',
  tenantId: '6f1a3c52-9d5e-4c0b-8a77-2f4be0d1c9aa',
  clientId: '3d2f5f0e-6c1b-4a53-9a40-51f0a7d3c8e1',
  apiScopes: ['https://vestibule.onmicrosoft.com/api/access'],
  signInPolicy: 'B2C_1A_SignIn',
  signUpPolicy: 'B2C_1A_SignUp_Invitation',
  resetPasswordPolicy: 'B2C_1A_PasswordReset',
};

export type Config = ReturnType<typeof toConfig>;
export type ProviderConfig = NonNullable<Config['provider']>;

/**
 * Reads and checks all variables. An empty variable counts as absent. Throws one StartUpError that lists every bad one.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const { environment, problems: fileProblems } = readSecretFiles(trimValues(env));
  const given = trimValues(environment);
  const result = variables.safeParse(given);
  const oidc = readOidcProviders(given);
  const { traces, problems: traceProblems } = readTraces(given);
  const problems = [
    ...fileProblems,
    ...findQuotedValues(given),
    ...(result.success ? [] : result.error.issues.map(describe)),
    ...oidc.problems,
    ...traceProblems,
  ];
  const configuredB2cVariables = providerVariables.filter((variable) => given[variable] !== undefined);
  const missing =
    configuredB2cVariables.length > 0
      ? providerVariables.filter((variable) => given[variable] === undefined)
      : [];
  problems.push(
    ...findPublicSiteProblems(given),
    ...missing.map(
      (variable) =>
        `  ${variable}: is missing; a sign-in service needs all of ${providerVariables.join(', ')}`,
    ),
  );
  if (isSignInMethodEnabled(given, 'oidc') && given['OIDC_PROVIDERS'] === undefined)
    problems.push('  OIDC_PROVIDERS: is missing; SIGN_IN_WITH=oidc needs at least one');
  if (isSignInMethodEnabled(given, 'passkeys')) problems.push(...findPasskeyProblems(given));
  if (given['DATABASE_OWNER_URL'] !== undefined && given['DATABASE_URL'] === undefined)
    problems.push('  DATABASE_URL: is missing; DATABASE_OWNER_URL is its database as the owner');
  if (given['DATABASE_READ_URL'] !== undefined && given['DATABASE_URL'] === undefined)
    problems.push('  DATABASE_URL: is missing; DATABASE_READ_URL is a replica of it');
  if (!result.success || problems.length > 0)
    throw new StartUpError(
      `The configuration cannot be used. Correct these environment variables:\n${problems.join('\n')}`,
    );

  return toConfig(result.data, given, {
    oidc: oidc.providers,
    traces,
    hasOwnTenant: configuredB2cVariables.length > 0,
  });
}

/** `given` are the variables that are set. `hasOwnTenant`: the variables name a tenant of Azure AD B2C. */
function toConfig(
  value: Variables,
  given: Record<string, string | undefined>,
  read: { oidc: readonly OidcProviderConfig[]; traces: TraceConfig | null; hasOwnTenant: boolean },
) {
  const { hasOwnTenant } = read;
  const usesB2c = isSignInMethodEnabled(given, 'b2c');
  const isPublic = isReachable(given);
  const { tenantId, ...embedded } = embeddedProvider;
  const clientId = value.CLIENT_ID ?? embedded.clientId;
  const providerPort = value.IDP_PORT ?? neighboringPort(value.PORT, 1);
  const publicUrl = value.PUBLIC_URL ?? `http://localhost:${value.PORT}`;
  return Object.freeze({
    port: value.PORT,
    host: value.HOST,
    /** Origin of links; never taken from a request. */
    publicUrl,
    dataDirectory: path.resolve(value.DATA_DIR),
    /** Directory of the archive files that retention writes. */
    archiveDirectory: path.resolve(value.ARCHIVE_DIR ?? path.join(value.DATA_DIR, 'archive')),
    databaseUrl: value.DATABASE_URL ?? null,
    /** URL of the same database for its owner, who runs migrations; null if `databaseUrl` is the owner's. */
    databaseOwnerUrl: value.DATABASE_OWNER_URL ?? null,
    /** Read replica for lists. */
    databaseReadUrl: value.DATABASE_READ_URL ?? null,
    secret: value.SECRET ?? null,
    /** Secret being replaced by `secret`; both decrypt the site key meanwhile. */
    previousSecret: value.SECRET_PREVIOUS ?? null,
    trustProxy: value.TRUST_PROXY ?? false,
    logLevel: value.LOG_LEVEL,
    /** Bearer token for /metrics; null disables the route. */
    metricsToken: value.METRICS_TOKEN ?? null,
    /** Null disables tracing. */
    traces: read.traces,
    /** Time between /readyz reporting failure and closing the port, so that load balancers stop sending requests. */
    shutdownDelayMs: (value.SHUTDOWN_DELAY_SECONDS ?? (isPublic ? publicShutdownDelaySeconds : 0)) * 1000,
    /** Whether other machines can reach the site. */
    isPublic,
    /** Whether a public site runs development parts, as ALLOW_DEVELOPMENT_PARTS permits. Every page shows a warning. */
    isDemonstration: isPublic && ((usesB2c && !hasOwnTenant) || value.SMTP_URL === undefined),
    /** Network interface on which the embedded provider and the mailbox listen. */
    developmentPartsHost: value.DEVELOPMENT_PARTS_HOST,
    oidc: isSignInMethodEnabled(given, 'oidc') ? read.oidc : [],
    /** Passkeys and mailed codes; null if they are not a sign-in method. */
    passkeys: isSignInMethodEnabled(given, 'passkeys')
      ? {
          /** WebAuthn RP id. */
          rpId: new URL(publicUrl).hostname,
          /** Whether the site starts although stored passkeys have another RP id and cannot be used. */
          allowsOtherHosts: value.PASSKEYS_OF_OTHER_HOST !== undefined,
        }
      : null,
    /** Azure AD B2C; null if it is not a sign-in method. */
    provider: usesB2c
      ? {
          authBaseUrl: value.AUTH_BASE_URL ?? embedded.authBaseUrl,
          tenantName: value.TENANT_NAME ?? embedded.tenantName,
          clientId,
          audience: value.API_AUDIENCE ?? clientId,
          apiScopes: value.API_SCOPES ?? embedded.apiScopes,
          signInPolicy: value.SIGN_IN_POLICY ?? embedded.signInPolicy,
          signUpPolicy: value.SIGN_UP_POLICY ?? embedded.signUpPolicy,
          resetPasswordPolicy: value.RESET_PASSWORD_POLICY ?? embedded.resetPasswordPolicy,
          invitationClaim: value.INVITATION_CLAIM,
          /** Public address, or the address of the embedded provider. */
          url: hasOwnTenant ? (value.AUTH_BASE_URL as string) : `http://localhost:${providerPort}`,
        }
      : null,
    /** Set if B2C is a sign-in method without a configured tenant. */
    embeddedProvider:
      hasOwnTenant || !usesB2c
        ? null
        : {
            port: providerPort,
            tenantId,
            lifetimes: {
              ...(value.IDP_ACCESS_TOKEN_SECONDS && { accessTokenSeconds: value.IDP_ACCESS_TOKEN_SECONDS }),
              ...(value.IDP_REFRESH_TOKEN_SECONDS && {
                refreshTokenSeconds: value.IDP_REFRESH_TOKEN_SECONDS,
              }),
              ...(value.IDP_SESSION_SECONDS && { sessionSeconds: value.IDP_SESSION_SECONDS }),
            },
          },
    /** Null for the development mailbox, and if mail is disabled. */
    smtpUrl: value.SMTP_URL === 'off' ? null : (value.SMTP_URL ?? null),
    /** Whether mails and SMTP credentials may be sent unencrypted to another machine. */
    smtpAllowsPlainText: value.SMTP_ALLOW_PLAIN_TEXT !== undefined,
    /** Set if SMTP_URL is not. */
    mailbox: value.SMTP_URL
      ? null
      : {
          smtpPort: value.MAILBOX_SMTP_PORT,
          httpPort: value.MAILBOX_PORT ?? neighboringPort(value.PORT, 2),
          directory: value.MAILBOX_DIRECTORY,
        },
    mailFrom: value.MAIL_FROM ?? defaultSender(publicUrl),
    adminEmail: value.ADMIN_EMAIL ?? 'admin@example.com',
    supportEmail: value.SUPPORT_EMAIL,
    productName: value.PRODUCT_NAME,
    /** Servers for the domains of organizations; empty for those of the machine. */
    dnsServers: value.DNS_SERVERS ?? [],
    invitationLifetimeDays: value.INVITATION_LIFETIME_DAYS,
    /** Whether webhooks may use private networks and plain http. */
    webhooksToPrivateAddresses: value.WEBHOOKS_TO_PRIVATE_ADDRESSES !== undefined,
    /** Whether organizations may connect providers in private networks, and on plain http on this machine. */
    providersOnPrivateAddresses: value.PROVIDERS_ON_PRIVATE_ADDRESSES !== undefined,
    gridLicenseKey: value.GRID_LICENSE_KEY ?? null,
    attachments: readAttachments(value),
  });
}

function readAttachments(value: Variables) {
  return {
    /** Null for a directory below `dataDirectory`. */
    storage:
      value.ATTACHMENT_STORAGE === undefined
        ? null
        : {
            url: new URL(value.ATTACHMENT_STORAGE),
            keyId: value.ATTACHMENT_STORAGE_KEY_ID ?? null,
            key: value.ATTACHMENT_STORAGE_KEY ?? null,
          },
    /** In bytes: per file, per person, and for the site. */
    limits: {
      fileBytes: value.ATTACHMENT_FILE_LIMIT_MB * megabyte,
      personBytes: value.ATTACHMENT_QUOTA_MB * megabyte,
      siteBytes: value.ATTACHMENT_SITE_QUOTA_MB * megabyte,
    },
    /** Address of clamd; null disables scanning. */
    clamdUrl: value.CLAMD_URL ?? null,
  };
}

/** The stored data depend on each character of a secret, so none is removed. */
const keepsSpaces = /^SECRET(?:_PREVIOUS)?$/;

/** Removes surrounding white space, line ends of Windows and byte order marks, which editors and env files add, and empty variables. */
function trimValues(environment: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment)
      .filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== '')
      .map(([name, value]) => [name, keepsSpaces.test(name) ? value : value.trim()]),
  );
}

/** `docker run --env-file` does not remove quotation marks, so a path or a name would contain them. */
function findQuotedValues(given: Record<string, string>): string[] {
  return Object.entries(given)
    .filter(
      ([name, value]) =>
        (Object.hasOwn(variables.shape, name) || name.startsWith('OIDC_')) &&
        !keepsSpaces.test(name) &&
        /^(["']).*\1$/s.test(value),
    )
    .map(([name]) => `  ${name}: should not be in quotation marks, which are part of the value here`);
}

/**
 * Replaces file variables by the files' texts without the trailing line end. `problems` has a line for each unreadable
 * file.
 */
function readSecretFiles(environment: Record<string, string | undefined>): {
  environment: Record<string, string | undefined>;
  problems: string[];
} {
  const problems: string[] = [];
  const read = Object.entries(environment).map(([variable, value]): [string, string | undefined] => {
    const name = variable.slice(0, -suffix.length);
    if (
      value === undefined ||
      !variable.endsWith(suffix) ||
      !(secretVariables.includes(name) || clientSecret.test(name))
    )
      return [variable, value];
    if (environment[name] !== undefined) problems.push(`  ${variable}: set either it or ${name}, not both`);
    const text = readText(value);
    if (text === null)
      problems.push(
        `  ${variable}: should be a file that this user can read, containing the value of ${name}`,
      );
    return [name, text ?? undefined];
  });
  return { environment: Object.fromEntries(read.filter(([, value]) => value !== undefined)), problems };
}

/** Returns null if the file cannot be read or is too long. */
function readText(file: string): string | null {
  try {
    if (statSync(file).size > maxBytes) return null;
    return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') || null;
  } catch {
    return null;
  }
}

/** Returns the port `step` after the application's, or before it near the end of the port range. */
function neighboringPort(port: number, step: number): number {
  return (port || defaultPort) + (port > 65_000 ? -step : step);
}

/** Returns the environment for child processes: without the variables above, some of which are secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !variableNames.includes(key) && !key.startsWith('OIDC_')),
  );
}

/** Returns one line of the error message. The value is omitted: it may be a password. */
function describe(issue: z.core.$ZodIssue): string {
  return `  ${issue.path.join('.')}: should be ${issue.message}`;
}
