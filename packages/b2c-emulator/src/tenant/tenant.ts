/**
 * The emulated tenant: its configuration with defaults filled in, and its stores. Everything that answers
 * a request gets it as its first argument. Not for: HTTP.
 */
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

/** Six-digit colours. `text` is readable on `accent` and on `hover`. */
export type AccentShades = { accent: string; hover: string; text: string; soft: string };

/** A mail to somebody, in the language of the page that they asked for it on. */
export type TenantMail = { to: string; subject: string; text: string; language: Language };

/** What stands at the head of every page. `logo` is an address; null for the emulator's mark. */
export type Brand = { name: string; logo: string | null };

/** What the emulator needs from outside; `now` in milliseconds. */
export type EmulatorDependencies = {
  sendMail(mail: TenantMail): Promise<void>;
  /** How the application shows itself, asked for with every page; absent for the tenant's name and the emulator's mark. */
  brand?: () => Promise<Brand>;
  /**
   * The colour of buttons and links, in shades that can be read on these surfaces (six-digit colours), asked for with
   * every page; null or absent for the emulator's own.
   */
  accent?: (kind: 'light' | 'dark', surfaces: string[]) => Promise<AccentShades | null>;
  now?: () => number;
  log?: (line: string) => void;
  /** scrypt's N for passwords, for tests that wait for nothing; one that a file of accounts was made with must stay. */
  passwordCost?: number;
};

/** An emulated tenant, open. */
export type Tenant = Awaited<ReturnType<typeof openTenant>>;

const maxFailedSignIns = 10;
const lockMilliseconds = 5 * 60_000;
const maxResetMails = 5;
const resetMailsMilliseconds = 15 * 60_000;
const maxResetCodeSeconds = 600;

/** Opens the stores and puts in the people the configuration starts with. */
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
  const outgoing = new Set<Promise<void>>();

  const tenant = {
    name: config.tenant,
    /** As it was at the latest page. */
    brand: { name: config.tenant, logo: null } as Brand,
    id: config.tenantId.toLowerCase(),
    /** The first part of every address. */
    domain,
    /** By lower-case name. */
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
    /** The origin browsers use; set anew when a free port was taken. */
    publicUrl,
    /** Whether cookies are for https. */
    secure: publicUrl.startsWith('https:'),
    issuerOf: (policy: Policy) => issuer.replaceAll('{policy}', policy.path),
    /** In lower case, as MSAL compares addresses. */
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
    /** Sends without being waited for, so that an answer takes as long whether a mail goes out or not. */
    sendMailInBackground(mail: TenantMail) {
      const sent: Promise<void> = Promise.resolve()
        .then(() => deps.sendMail(mail))
        .catch((error: unknown) => log(`a mail could not be sent: ${getErrorMessage(error)}`))
        .finally(() => outgoing.delete(sent));
      outgoing.add(sent);
    },
    async close() {
      await Promise.all(outgoing);
      if (database.isOpen) database.close();
    },
  };
  return tenant;
}

/** `http://localhost:3001`: a loopback address is called localhost, which browsers treat as secure (WebCrypto). */
export function getDefaultPublicUrl(config: EmulatorConfig, port: number): string {
  const host = config.host ?? '127.0.0.1';
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isLoopback(host) || isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return new URL(`${config.tls ? 'https' : 'http'}://${name}:${port}`).origin;
}

async function addPeople(accounts: Accounts, config: EmulatorConfig): Promise<void> {
  const missing = (config.people ?? []).filter(({ email }) => !accounts.findByEmail(email));
  await Promise.all(missing.map((person) => accounts.create(person)));
}
