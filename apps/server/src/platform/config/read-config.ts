/**
 * Reads and checks all environment variables at start and reports every bad one with the expected value (statement O4).
 * With the embedded defaults no variable is required. Only this module reads `process.env`.
 */
import path from 'node:path';
import { megabyte } from '@vestibule/contract/texts/size';
import type * as z from 'zod';
import { defaultSender } from './addresses.ts';
import { oidcVariableNames, readOidcProviders, type OidcProviderConfig } from './oidc-providers.ts';
import { readSecretFiles, secretFileNames } from './secret-files.ts';
import {
  findPublicSiteProblems,
  findSignInProblems,
  hasB2cVariables,
  isReachable,
  isSignInMethodEnabled,
} from './sign-in-methods.ts';
import { StartUpError } from './start-up-error.ts';
import { readTraces, traceVariableNames, type TraceConfig } from './trace-variables.ts';
import { defaultPort, variables, type Variables } from './variables.ts';

/** Longer than two health checks of a load balancer, and within the ten seconds that container platforms allow. */
export const publicShutdownDelaySeconds = 5;

/** Variable names as listed in docs/configuration.md. */
export const variableNames: string[] = [
  ...Object.keys(variables.shape),
  ...oidcVariableNames,
  ...traceVariableNames,
  ...secretFileNames,
];

/** Tenant of the embedded provider. The authority is https because the browser's library requires it. */
const embeddedTenant = {
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

/** Reads and checks all variables. An empty variable counts as absent. Throws one StartUpError that lists every bad one. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const secretFiles = readSecretFiles(trimValues(env));
  const given = trimValues(secretFiles.environment);
  const result = variables.safeParse(given);
  const oidc = readOidcProviders(given);
  const tracing = readTraces(given);
  const problems = [
    ...secretFiles.problems,
    ...findQuotedValues(given),
    ...(result.success ? [] : result.error.issues.map(describeIssue)),
    ...oidc.problems,
    ...tracing.problems,
    ...findPublicSiteProblems(given),
    ...findSignInProblems(given),
    ...findDatabaseProblems(given),
  ];
  if (!result.success || problems.length > 0)
    throw new StartUpError(
      `The configuration cannot be used. Correct these environment variables:\n${problems.join('\n')}`,
    );
  return toConfig(given, result.data, oidc.providers, tracing.traces);
}

/** `given` are the texts of the variables that are set, `value` their values and the defaults of the others. */
function toConfig(
  given: Record<string, string>,
  value: Variables,
  oidcProviders: readonly OidcProviderConfig[],
  traces: TraceConfig | null,
) {
  const usesB2c = isSignInMethodEnabled(given, 'b2c');
  const usesEmbeddedProvider = usesB2c && !hasB2cVariables(given);
  const embeddedProviderPort = value.IDP_PORT ?? neighboringPort(value.PORT, 1);
  const isPublic = isReachable(given);
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
    traces,
    /** Time between /readyz reporting failure and closing the port, so that load balancers stop sending requests. */
    shutdownDelayMs: (value.SHUTDOWN_DELAY_SECONDS ?? (isPublic ? publicShutdownDelaySeconds : 0)) * 1000,
    /** Whether other machines can reach the site. */
    isPublic,
    /** Whether a public site runs development parts, as ALLOW_DEVELOPMENT_PARTS permits. Every page shows a warning. */
    isDemonstration: isPublic && (usesEmbeddedProvider || value.SMTP_URL === undefined),
    /** Network interface on which the embedded provider and the mailbox listen. */
    developmentPartsHost: value.DEVELOPMENT_PARTS_HOST,
    oidc: isSignInMethodEnabled(given, 'oidc') ? oidcProviders : [],
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
    provider: usesB2c ? b2cOf(value, usesEmbeddedProvider ? embeddedProviderPort : null) : null,
    /** Set if B2C is a sign-in method without a configured tenant. */
    embeddedProvider: usesEmbeddedProvider ? embeddedProviderOf(value, embeddedProviderPort) : null,
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
    attachments: attachmentsOf(value),
  });
}

/** `embeddedProviderPort` is null for a tenant of Azure. */
function b2cOf(value: Variables, embeddedProviderPort: number | null) {
  const clientId = value.CLIENT_ID ?? embeddedTenant.clientId;
  const authBaseUrl = value.AUTH_BASE_URL ?? embeddedTenant.authBaseUrl;
  return {
    authBaseUrl,
    tenantName: value.TENANT_NAME ?? embeddedTenant.tenantName,
    clientId,
    audience: value.API_AUDIENCE ?? clientId,
    apiScopes: value.API_SCOPES ?? embeddedTenant.apiScopes,
    signInPolicy: value.SIGN_IN_POLICY ?? embeddedTenant.signInPolicy,
    signUpPolicy: value.SIGN_UP_POLICY ?? embeddedTenant.signUpPolicy,
    resetPasswordPolicy: value.RESET_PASSWORD_POLICY ?? embeddedTenant.resetPasswordPolicy,
    invitationClaim: value.INVITATION_CLAIM,
    /** Public address, or the address of the embedded provider. */
    url: embeddedProviderPort === null ? authBaseUrl : `http://localhost:${embeddedProviderPort}`,
  };
}

const embeddedProviderOf = (value: Variables, port: number) => ({
  port,
  tenantId: embeddedTenant.tenantId,
  lifetimes: {
    ...(value.IDP_ACCESS_TOKEN_SECONDS && { accessTokenSeconds: value.IDP_ACCESS_TOKEN_SECONDS }),
    ...(value.IDP_REFRESH_TOKEN_SECONDS && { refreshTokenSeconds: value.IDP_REFRESH_TOKEN_SECONDS }),
    ...(value.IDP_SESSION_SECONDS && { sessionSeconds: value.IDP_SESSION_SECONDS }),
  },
});

const attachmentsOf = (value: Variables) => ({
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
});

/** The stored data depend on each character of a secret, so none is removed. */
const keepsSpaces = /^SECRET(?:_PREVIOUS)?$/;

/** Removes surrounding white space, line ends of Windows and byte order marks, which editors and env files add, and empty variables. */
const trimValues = (environment: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== '')
      .map(([name, value]) => [name, keepsSpaces.test(name) ? value : value.trim()]),
  );

/** `docker run --env-file` does not remove quotation marks, so a path or a name would contain them. */
const findQuotedValues = (given: Record<string, string>): string[] =>
  Object.entries(given)
    .filter(
      ([name, value]) =>
        (Object.hasOwn(variables.shape, name) || name.startsWith('OIDC_')) &&
        !keepsSpaces.test(name) &&
        /^(["']).*\1$/s.test(value),
    )
    .map(([name]) => `  ${name}: should not be in quotation marks, which are part of the value here`);

/** The URLs for the owner and of a replica need DATABASE_URL. */
function findDatabaseProblems(given: Record<string, string>): string[] {
  if (given['DATABASE_URL'] !== undefined) return [];
  return [
    given['DATABASE_OWNER_URL'] !== undefined &&
      '  DATABASE_URL: is missing; DATABASE_OWNER_URL is its database as the owner',
    given['DATABASE_READ_URL'] !== undefined &&
      '  DATABASE_URL: is missing; DATABASE_READ_URL is a replica of it',
  ].filter((line) => line !== false);
}

/** Returns the port `step` after the application's, or before it near the end of the port range. */
const neighboringPort = (port: number, step: number): number =>
  (port || defaultPort) + (port > 65_000 ? -step : step);

/** Returns the environment for child processes: without the variables above, some of which are secrets. */
export const childEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !variableNames.includes(key) && !key.startsWith('OIDC_')),
  );

/** Returns one line of the error message. The value is omitted: it may be a password. */
const describeIssue = (issue: z.core.$ZodIssue): string =>
  `  ${issue.path.join('.')}: should be ${issue.message}`;
