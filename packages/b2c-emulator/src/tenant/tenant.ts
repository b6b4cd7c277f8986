/** The emulated tenant: its configuration with defaults, and its stores. All request handlers receive it. */
import { openAccounts } from './accounts.ts';
import type { Accounts } from './accounts.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import { getErrorMessage } from '../b2c-error.ts';
import { openDatabase } from './database.ts';
import { defaultLifetimes, isLoopback } from '../emulator-config.ts';
import { toPolicy } from './client-and-policy.ts';
import type { Client, Policy } from './client-and-policy.ts';
import type { EmulatorConfig } from '../emulator-config.ts';
import { openGrants } from './grants.ts';
import { createHintCheck } from '../authorize/id-token-hint.ts';
import { createPasswords } from './passwords.ts';
import { openSessions } from './sessions.ts';
import { openSigningKey } from './signing-key.ts';
import type { Language } from '../pages/page-texts.ts';
import { createTransactions } from './transactions.ts';

/** Six-digit hex colours. `text` is readable on `accent` and on `hover`. */
export type AccentShades = { accent: string; hover: string; text: string; soft: string };

/** `language` is the language of the page that requested the mail. */
export type TenantMail = { to: string; subject: string; text: string; language: Language };

/** Header of every page. `logo` is a URL; null shows the emulator's icon. */
export type Brand = { name: string; logo: string | null };

/** `now` returns milliseconds. */
export type EmulatorDependencies = {
  sendMail(mail: TenantMail): Promise<void>;
  /**
   * Returns the application's name and logo; called for every page. Default: the tenant's name and the
   * emulator's icon.
   */
  brand?: () => Promise<Brand>;
  /**
   * Returns colours for buttons and links that are readable on `surfaces` (six-digit hex); called for every
   * page. Default, also for null: the emulator's colours.
   */
  accent?: (kind: 'light' | 'dark', surfaces: string[]) => Promise<AccentShades | null>;
  now?: () => number;
  log?: (line: string) => void;
  /** scrypt's N. Tests use a low value. A database file must keep the value it was created with. */
  passwordCost?: number;
};

export type Tenant = Awaited<ReturnType<typeof openTenant>>;

const maxFailedSignIns = 10;
const lockMilliseconds = 5 * 60_000;
const maxResetMails = 5;
const resetMailsMilliseconds = 15 * 60_000;
const maxResetCodeSeconds = 600;

/** Opens the stores and creates the configured accounts. */
export async function openTenant(config: EmulatorConfig, deps: EmulatorDependencies) {
  const now = deps.now ?? Date.now;
  const log = deps.log ?? ((_line: string) => {});
  const lifetimes = { ...defaultLifetimes, ...config.lifetimes };
  lifetimes.resetCodeSeconds = Math.min(lifetimes.resetCodeSeconds, maxResetCodeSeconds);
  const database = openDatabase(config.databaseFile ?? ':memory:');
  const accounts = openAccounts(database, now, createPasswords(deps.passwordCost));
  await addPeople(accounts, config);

  const domain = `${config.tenant.toLowerCase()}.onmicrosoft.com`;
  const issuer =
    config.issuer ??
    `https://${config.tenant.toLowerCase()}.b2clogin.com/${config.tenantId.toLowerCase()}/v2.0/`;
  const publicUrl = (config.publicUrl ?? getDefaultPublicUrl(config, config.port)).replace(/\/$/, '');
  const pendingMails = new Set<Promise<void>>();

  const tenant = {
    name: config.tenant,
    /** Updated with every page. */
    brand: { name: config.tenant, logo: null } as Brand,
    id: config.tenantId.toLowerCase(),
    /** First path segment of every URL. */
    domain,
    /** By name in lower case. */
    policies: new Map(
      Object.entries(config.policies).map(([name, policy]) => [name.toLowerCase(), toPolicy(name, policy)]),
    ),
    clients: new Map<string, Client>(
      config.clients.map((client) => [
        client.clientId,
        { ...client, postLogoutRedirectUris: client.postLogoutRedirectUris ?? client.redirectUris },
      ]),
    ),
    lifetimes,
    /** Origin used by browsers. Updated after listening on a free port. */
    publicUrl,
    /** Whether cookies are Secure. */
    secure: publicUrl.startsWith('https:'),
    issuerOf: (policy: Policy) => issuer.replaceAll('{policy}', policy.path),
    /** In lower case, as MSAL compares URLs. */
    addressOf: (policy: Policy): string => `${tenant.publicUrl}/${domain}/${policy.path}`,
    accounts,
    sessions: openSessions(database, now, lifetimes.sessionSeconds * 1000),
    grants: openGrants(database, now, {
      codeMilliseconds: lifetimes.authorizationCodeSeconds * 1000,
      refreshMilliseconds: lifetimes.refreshTokenSeconds * 1000,
      graceMilliseconds: lifetimes.refreshGraceSeconds * 1000,
    }),
    transactions: createTransactions(now),
    checkHint: createHintCheck(config.hintIssuer, now),
    signingKey: await openSigningKey(database),
    signInAttempts: createAttemptLimit(maxFailedSignIns, lockMilliseconds, now),
    resetMails: createAttemptLimit(maxResetMails, resetMailsMilliseconds, now),
    now,
    log,
    /** Does not await the mail, so that response times are equal with and without one. */
    sendMailInBackground(mail: TenantMail) {
      const sent: Promise<void> = Promise.resolve()
        .then(() => deps.sendMail(mail))
        .catch((error: unknown) => log(`a mail could not be sent: ${getErrorMessage(error)}`))
        .finally(() => pendingMails.delete(sent));
      pendingMails.add(sent);
    },
    async close() {
      await Promise.all(pendingMails);
      if (database.isOpen) database.close();
    },
  };
  return tenant;
}

/** Loopback addresses are written as localhost, which browsers treat as a secure context (WebCrypto). */
export function getDefaultPublicUrl(config: EmulatorConfig, port: number): string {
  const host = config.host ?? '127.0.0.1';
  const isWildcard = host === '0.0.0.0' || host === '::';
  const name = isLoopback(host) || isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return new URL(`${config.tls ? 'https' : 'http'}://${name}:${port}`).origin;
}

async function addPeople(accounts: Accounts, config: EmulatorConfig): Promise<void> {
  const missing = (config.people ?? []).filter(({ email }) => !accounts.findByEmail(email));
  await Promise.all(missing.map((person) => accounts.create(person)));
}
