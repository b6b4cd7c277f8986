/**
 * Configuration of an emulated tenant and its validation. Defaults that depend on other settings are in
 * tenant.ts.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { getErrorMessage } from './b2c-error.ts';
import { isEmailAddress } from './tenant/email-address.ts';

/** Purpose of a policy. In B2C the policy's user journey defines it. */
const kinds = ['sign-in', 'sign-up', 'reset-password', 'edit-profile'] as const;
export type PolicyKind = (typeof kinds)[number];

/** Element ids of the address field on B2C's sign-in pages; they depend on the policy and its page layout. */
const signInFields = ['email', 'logonIdentifier', 'signInName'] as const;
export type SignInField = (typeof signInFields)[number];

/** A policy's kind, optionally with the id of its sign-in field. */
export type PolicyConfig = PolicyKind | { kind: PolicyKind; signInField?: SignInField };

/**
 * An application registration. `scopes` are full URIs such as `https://vestibule.onmicrosoft.com/api/access`.
 */
export type ClientConfig = {
  clientId: string;
  redirectUris: string[];
  /** Default: the redirect URIs. */
  postLogoutRedirectUris?: string[];
  scopes: string[];
};

/** The issuer of `id_token_hint`s: its metadata URL, and the issuer and audience of its hints. */
export type HintIssuerConfig = { metadataUrl: string; issuer: string; audience: string };

export const defaultLifetimes = {
  accessTokenSeconds: 3600,
  idTokenSeconds: 3600,
  refreshTokenSeconds: 86_400,
  sessionSeconds: 86_400,
  authorizationCodeSeconds: 300,
  resetCodeSeconds: 600,
  refreshGraceSeconds: 30,
};

export type EmulatorConfig = {
  /** Tenant name, for example `vestibule` for `/vestibule.onmicrosoft.com/…`. */
  tenant: string;
  /** Tenant id, a GUID. */
  tenantId: string;
  /**
   * Default: `https://{tenant}.b2clogin.com/{tenantId}/v2.0/`. `{policy}` is replaced by the policy's name in
   * lower case.
   */
  issuer?: string;
  /** By policy name, case-insensitive. */
  policies: Record<string, PolicyConfig>;
  clients: ClientConfig[];
  hintIssuer?: HintIssuerConfig;
  people?: { email: string; password: string; displayName: string }[];
  lifetimes?: Partial<typeof defaultLifetimes>;
  /** Listen address. Default: 127.0.0.1. */
  host?: string;
  /** 0 selects a free port. */
  port: number;
  allowPublicAddress?: boolean;
  /** PEM. */
  tls?: { key: string; cert: string };
  /** Origin used by browsers. Default: derived from host, port and tls. */
  publicUrl?: string;
  /** SQLite file for accounts, sessions, refresh tokens and the signing key. Default: in memory. */
  databaseFile?: string;
};

/** Lists every problem of a configuration in one message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`The emulator's configuration is not usable: ${problems.join('; ')}.`);
    this.problems = problems;
  }
}

const settingNames = new Set(
  'tenant tenantId issuer policies clients hintIssuer people lifetimes host port allowPublicAddress tls publicUrl databaseFile'.split(
    ' ',
  ),
);

/**
 * Validates parsed JSON; throws a ConfigError that lists all problems. `tls` may contain file names
 * (`keyFile`, `certFile`) instead of PEM text; file names are relative to `directory`.
 */
export function readEmulatorConfig(json: unknown, directory = '.'): EmulatorConfig {
  if (!isRecord(json)) throw new ConfigError(['it must be one JSON object']);
  const problems: string[] = [];
  const check = (ok: boolean, problem: string): boolean => {
    if (!ok) problems.push(problem);
    return ok;
  };

  for (const name of Object.keys(json)) check(settingNames.has(name), `\`${name}\` is not a known setting`);
  check(matches(json['tenant'], /^[a-z0-9][a-z0-9-]{0,62}$/i), '`tenant` must be a name such as "vestibule"');
  check(
    matches(json['tenantId'], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
    '`tenantId` must be a GUID',
  );
  check(isAbsent(json['issuer']) || isHttpUrl(json['issuer']), '`issuer` must be an http(s) address');
  check(
    typeof json['port'] === 'number' &&
      Number.isInteger(json['port']) &&
      json['port'] >= 0 &&
      json['port'] < 65_536,
    '`port` must be a number from 0 to 65535',
  );
  check(isAbsent(json['host']) || isText(json['host']), '`host` must be an address such as "127.0.0.1"');
  check(
    isAbsent(json['allowPublicAddress']) || typeof json['allowPublicAddress'] === 'boolean',
    '`allowPublicAddress` must be true or false',
  );
  if (isText(json['host']) && !isLoopback(json['host'])) {
    check(
      json['allowPublicAddress'] === true,
      `\`host\` "${json['host']}" can be reached from other machines and this is a development sign-in: use 127.0.0.1, or set \`allowPublicAddress\` to true if you really mean it`,
    );
  }
  check(
    isAbsent(json['publicUrl']) || isOrigin(json['publicUrl']),
    '`publicUrl` must be an http(s) origin without a path, such as "https://localhost:3001"',
  );
  check(isAbsent(json['databaseFile']) || isText(json['databaseFile']), '`databaseFile` must be a file name');

  checkPolicies(json['policies'], check);
  checkClients(json['clients'], check);
  checkHintIssuer(json['hintIssuer'], check);
  if (isRecord(json['policies']) && isAbsent(json['hintIssuer'])) {
    const signUp = Object.entries(json['policies']).find(([, policy]) => getKind(policy) === 'sign-up');
    check(
      !signUp,
      `policy "${signUp?.[0]}" signs people up by invitation and needs \`hintIssuer\`, which says whose invitations count`,
    );
  }
  checkPeople(json['people'], check);
  checkLifetimes(json['lifetimes'], check);
  const tls = readTls(json['tls'], directory, check);

  if (problems.length > 0) throw new ConfigError(problems);
  const config = { ...(json as EmulatorConfig), ...(tls && { tls }) };
  if (config.databaseFile && config.databaseFile !== ':memory:') {
    config.databaseFile = resolve(directory, config.databaseFile);
  }
  return config;
}

type Check = (ok: boolean, problem: string) => boolean;

function checkPolicies(policies: unknown, check: Check): void {
  if (
    !check(isRecord(policies) && Object.keys(policies).length > 0, '`policies` must name at least one policy')
  ) {
    return;
  }
  const seen = new Set<string>();
  for (const [name, policy] of Object.entries(policies as Record<string, unknown>)) {
    const kind = getKind(policy);
    const field = isRecord(policy) ? policy['signInField'] : undefined;
    check(/^[\w-]{1,64}$/.test(name), `policy name "${name}" may hold letters, digits, "_" and "-" only`);
    check(
      kinds.some((one) => one === kind),
      `policy "${name}" must be one of ${kinds.join(', ')}`,
    );
    check(
      isAbsent(field) || signInFields.some((one) => one === field),
      `\`signInField\` of policy "${name}" must be one of ${signInFields.join(', ')}`,
    );
    check(!seen.has(name.toLowerCase()), `policy "${name}" is there twice (case does not count)`);
    seen.add(name.toLowerCase());
  }
}

function getKind(policy: unknown): unknown {
  return isRecord(policy) ? policy['kind'] : policy;
}

function checkClients(clients: unknown, check: Check): void {
  if (!check(Array.isArray(clients) && clients.length > 0, '`clients` must list at least one application'))
    return;
  for (const [index, client] of (clients as unknown[]).entries()) {
    const at = `clients[${index}]`;
    if (!check(isRecord(client), `${at} must be an object`) || !isRecord(client)) continue;
    check(matches(client['clientId'], /^[\x21-\x7e]{1,255}$/), `${at}.clientId must be the application's id`);
    check(
      isTextList(client['redirectUris']) &&
        client['redirectUris'].length > 0 &&
        client['redirectUris'].every(isRedirectUri),
      `${at}.redirectUris must list absolute addresses without "#"`,
    );
    check(
      isAbsent(client['postLogoutRedirectUris']) ||
        (isTextList(client['postLogoutRedirectUris']) &&
          client['postLogoutRedirectUris'].every(isRedirectUri)),
      `${at}.postLogoutRedirectUris must list absolute addresses without "#"`,
    );
    check(
      isTextList(client['scopes']) &&
        client['scopes'].every((scope) => /^[\x21-\x7e]+\/[\x21-\x7e]+$/.test(scope)),
      `${at}.scopes must list full scope addresses such as "https://vestibule.onmicrosoft.com/api/access"`,
    );
  }
}

function checkHintIssuer(hintIssuer: unknown, check: Check): void {
  if (isAbsent(hintIssuer)) return;
  if (!check(isRecord(hintIssuer), '`hintIssuer` must be an object') || !isRecord(hintIssuer)) return;
  check(isHttpUrl(hintIssuer['metadataUrl']), '`hintIssuer.metadataUrl` must be an http(s) address');
  check(isText(hintIssuer['issuer']), '`hintIssuer.issuer` must be the issuer that hints carry');
  check(isText(hintIssuer['audience']), '`hintIssuer.audience` must be the audience that hints carry');
}

function checkPeople(people: unknown, check: Check): void {
  if (isAbsent(people)) return;
  if (!check(Array.isArray(people), '`people` must be a list')) return;
  for (const [index, person] of (people as unknown[]).entries()) {
    const ok =
      isRecord(person) &&
      typeof person['email'] === 'string' &&
      isEmailAddress(person['email']) &&
      isText(person['password']) &&
      isText(person['displayName']);
    check(ok, `people[${index}] needs an e-mail address, a password and a displayName`);
  }
}

function checkLifetimes(lifetimes: unknown, check: Check): void {
  if (isAbsent(lifetimes)) return;
  if (!check(isRecord(lifetimes), '`lifetimes` must be an object') || !isRecord(lifetimes)) return;
  for (const [name, value] of Object.entries(lifetimes)) {
    if (!check(Object.hasOwn(defaultLifetimes, name), `\`lifetimes.${name}\` is not a known lifetime`))
      continue;
    check(typeof value === 'number' && value >= 0, `\`lifetimes.${name}\` must be a number of seconds`);
  }
}

function readTls(tls: unknown, directory: string, check: Check): { key: string; cert: string } | undefined {
  if (isAbsent(tls)) return undefined;
  const pem = { key: '', cert: '' };
  for (const name of ['key', 'cert'] as const) {
    const settings = isRecord(tls) ? tls : {};
    const file = settings[`${name}File`];
    if (isText(settings[name])) pem[name] = settings[name];
    else if (isText(file)) {
      try {
        pem[name] = readFileSync(resolve(directory, file), 'utf8');
      } catch (error) {
        check(false, `the file of \`tls.${name}File\` cannot be read (${getErrorMessage(error)})`);
      }
    } else check(false, `\`tls\` needs \`${name}File\`, the name of a PEM file`);
  }
  return pem;
}

/** Returns whether a listen address is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => isText(item));
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
}

function isOrigin(value: unknown): boolean {
  return isHttpUrl(value) && new URL(value as string).origin === (value as string).replace(/\/$/, '');
}

function isRedirectUri(value: string): boolean {
  return URL.canParse(value) && !value.includes('#') && !/^(javascript|data|blob|vbscript):/i.test(value);
}
