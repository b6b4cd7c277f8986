import { isDeepStrictEqual } from 'node:util';
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import { requestErrors } from '@vestibule/contract/request-errors';
import {
  changeLogo,
  changeSettings,
  getSettings,
  settingsErrors,
  type Settings,
  logoMaximumBytes,
} from '@vestibule/contract/settings';
import { settingNames } from '@vestibule/contract/settings/setting-names';
import { readDomainRule, settingRules, type SettingName } from '@vestibule/contract/settings/rules';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { signInMethodsOf } from '../../platform/config/sign-in-methods.ts';
import type { Area } from '../../platform/area.ts';
import { settingsAudit, recordEach } from '../../platform/audit/audit-log.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { execute, rawSql, rowOf, type Database, type Queryable } from '../../platform/database/database.ts';
import { fail, required } from '../../platform/errors/failure.ts';
import { implement, type Actor } from '../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';
import { mailConnectionTo } from '../../platform/mail/smtp.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { mails, type MailsDeps } from './mails.ts';
import {
  defaultSettings,
  readStoredSettings,
  mergeSettings,
  writeSetting,
  type StoredName,
  type StoredSetting,
  type StoredLogo,
} from './settings-store.ts';
import { securityWarningRoutes } from './security-warnings.ts';
import type { FastifyInstance } from 'fastify';
import { bytesUnlessCopied, copiesOf, readUploadedPicture, sendPicture } from '../../platform/picture.ts';

const names = Object.keys(settingRules) as SettingName[];

/** Environment variables of the defaults; other defaults are built in. */
const environmentVariables: Partial<Record<SettingName, string>> = {
  productName: 'PRODUCT_NAME',
  senderName: 'PRODUCT_NAME',
  supportEmail: 'SUPPORT_EMAIL',
  senderAddress: 'MAIL_FROM',
  invitationLifetimeDays: 'INVITATION_LIFETIME_DAYS',
};

type FindPeopleByEmail = (database: Queryable, addresses: readonly string[]) => Promise<NameOf>;
type NameOf = (address: string) => { displayName: string } | null;

export function settings(deps: MailsDeps & { findPeopleByEmail: FindPeopleByEmail }): Area {
  const { database, config } = deps;

  /** Returns the settings; `storedSettings` skips reading the stored rows. */
  async function read(source: Queryable, storedSettings?: StoredSetting[]): Promise<Settings> {
    const stored = storedSettings ?? (await readStoredSettings(source));
    const nameOf = await deps.findPeopleByEmail(source, valuesOf(stored, 'changed_by'));
    return describe(stored, config, nameOf);
  }

  /** Writes changed settings and their audit entries. Throws if one was changed after the version the caller has seen. */
  async function change(
    call: Actor,
    requested: { name: StoredName; value: unknown; expectedVersion: number }[],
    inTransaction: (transaction: Queryable) => Promise<void> = () => Promise.resolve(),
  ): Promise<Settings> {
    const at = new Date(deps.now());
    const changed = await database.transaction(async (transaction) => {
      const stored = await lockSettings(transaction);
      const before = await read(transaction, stored);
      const conflicts = requested.filter(
        ({ name, expectedVersion }) => before[name].version !== expectedVersion,
      );
      if (conflicts.length > 0)
        throw fail(settingsErrors.changedMeanwhile, {
          fields: Object.fromEntries(conflicts.map(({ name }) => [name, describeConflict(before[name])])),
        });
      const storedValues = new Map(stored.map(({ name, value }) => [name, value]));
      const changes = requested.filter(
        ({ name, value }) => !isDeepStrictEqual(value, storedValues.get(name) ?? null),
      );
      if (changes.length === 0) return before;
      for (const { name, value } of changes)
        await writeSetting(transaction, { name, value, at, by: call.caller.email });
      await inTransaction(transaction);
      const after = await read(transaction);
      await recordEach(transaction, changes, ({ name, value }) => {
        const target = { id: name, label: settingNames[name].message };
        const detail = { before: before[name].value, after: after[name].value };
        return settingsAudit.entry(
          target,
          value === null ? 'settings.reset' : 'settings.changed',
          call,
          detail,
        );
      });
      return after;
    });
    deps.settings.invalidate();
    return changed;
  }

  const routes = [
    implement(getSettings, () => read(database)),

    implement(changeSettings, (call) => {
      const { versions, ...values } = call.body;
      return change(call, normalize(values, versions, new Set(signInMethodsOf(config).map(({ id }) => id))));
    }),

    implement(changeLogo, (call) => {
      const { picture, version } = call.body;
      if (picture === null)
        return change(call, [{ name: 'logo', value: null, expectedVersion: version }], (transaction) =>
          storeLogo(transaction, null),
        );
      const { bytes, ...logo } = required(
        readUploadedPicture(picture, logoMaximumBytes),
        settingsErrors.logoUnusable,
      );
      return change(call, [{ name: 'logo', value: logo, expectedVersion: version }], (transaction) =>
        storeLogo(transaction, { hash: logo.hash, bytes }),
      );
    }),

    ...mails(deps),
    ...securityWarningRoutes(deps),
  ];
  return { routes, plugin: (app) => serveLogo(app, database) };
}

/** Waits for concurrent changes, then returns the stored settings. */
async function lockSettings(transaction: Queryable): Promise<StoredSetting[]> {
  await execute(transaction)`select pg_advisory_xact_lock(${advisoryLocks.settings})`;
  return readStoredSettings(transaction);
}

/** Returns normalized values with their versions. Checks what the schema cannot, and throws if a value is invalid. */
function normalize(
  values: Partial<Record<SettingName, unknown>>,
  versions: Partial<Record<SettingName, number>>,
  methods: ReadonlySet<string>,
): { name: SettingName; value: unknown; expectedVersion: number }[] {
  const fields: Record<string, Message | string> = {};
  const requested = names.flatMap(
    (name): { name: SettingName; value: unknown; expectedVersion: number }[] => {
      const value = values[name];
      const expectedVersion = versions[name];
      if (value === undefined) return [];
      if (expectedVersion === undefined) {
        fields[`versions.${name}`] = 'Name the version of this setting that you have seen.';
        return [];
      }
      if (value === null) return [{ name, value, expectedVersion }];
      if (name === 'allowedDomains') {
        const domains = (value as string[]).map((domain) => ({ domain, canonical: canonicalDomain(domain) }));
        const unusable = domains.filter(({ canonical }) => canonical === null);
        if (unusable.length > 0)
          fields[name] = createMessage(fieldTexts.unusableDomains, {
            list: unusable.map(({ domain }) => domain).join(', '),
          });
        return [{ name, value: [...new Set(valuesOf(domains, 'canonical'))], expectedVersion }];
      }
      if (name === 'signInDomains') {
        const { rules, problem } = canonicalRules(value as string[], methods);
        if (problem !== null) fields[name] = problem;
        return [{ name, value: rules, expectedVersion }];
      }
      const isAddress = name === 'supportEmail' || name === 'senderAddress';
      if (isAddress && canonicalEmail(value as string) === null)
        fields[name] = createMessage(fieldTexts.unusableAddress);
      return [{ name, value, expectedVersion }];
    },
  );
  if (Object.keys(fields).length > 0) throw fail(requestErrors.invalid, { fields });
  return requested;
}

function canonicalDomain(domain: string): string | null {
  const address = canonicalEmail(`user@${domain}`);
  return address === null ? null : domainOf(address);
}

/** `problem` names the invalid rules. */
function canonicalRules(
  lines: string[],
  methods: ReadonlySet<string>,
): { rules: string[]; problem: Message | null } {
  const parsed = lines.map((line) => {
    const rule = readDomainRule(line);
    return { line, rule, domain: rule && canonicalDomain(rule.domain) };
  });
  const unusable = parsed.filter(({ rule, domain }) => domain === null || !methods.has(rule?.way ?? ''));
  if (unusable.length > 0)
    return {
      rules: [],
      problem: createMessage(fieldTexts.unusableDomainRules, {
        list: unusable.map(({ line }) => line).join(', '),
        ways: [...methods].join(', '),
      }),
    };
  if (new Set(valuesOf(parsed, 'domain')).size < parsed.length)
    return { rules: [], problem: createMessage(fieldTexts.domainTwice) };
  return {
    rules: parsed.map(({ rule, domain }) => `${domain} ${rule?.way}${rule?.admits ? ' open' : ''}`),
    problem: null,
  };
}

function providerHosts({ provider, oidc }: Config): string[] {
  const addresses = [...(provider ? [provider.authBaseUrl] : []), ...oidc.map(({ issuer }) => issuer)];
  return addresses.map((address) => new URL(address).host);
}

function describeConflict({
  value,
  changed,
}: {
  value: unknown;
  changed: Settings['logo']['changed'];
}): Message {
  const isText = typeof value === 'string' || typeof value === 'number';
  const text = isText ? `${value}` : Array.isArray(value) ? value.join(', ') : '';
  if (changed === null)
    return text === ''
      ? createMessage(fieldTexts.resetMeanwhile)
      : createMessage(fieldTexts.resetMeanwhileTo, { value: text });
  const actor = changed.byName ?? changed.by;
  if (typeof value === 'boolean') return createMessage(fieldTexts.switchedMeanwhile, { actor });
  if (!isText && !Array.isArray(value)) return createMessage(fieldTexts.logoChangedMeanwhile, { actor });
  return text === ''
    ? createMessage(fieldTexts.emptiedMeanwhile, { actor })
    : createMessage(fieldTexts.changedMeanwhile, { actor, value: text });
}

const changeOf = ({ changed_at, changed_by }: StoredSetting, nameOf: NameOf) => ({
  at: changed_at.toISOString(),
  by: changed_by,
  byName: nameOf(changed_by)?.displayName ?? null,
});

function describe(stored: StoredSetting[], config: Config, nameOf: NameOf): Settings {
  const defaults = mergeSettings([], defaultSettings(config));
  const current = mergeSettings(stored, defaultSettings(config));
  const rows = new Map(stored.map((row) => [row.name, row]));
  const describeSetting = (name: StoredName) => {
    const row = rows.get(name);
    return {
      value: current[name],
      // The sender name defaults to the current product name.
      default: name === 'senderName' ? current.productName : defaults[name],
      variable: name === 'logo' ? null : (environmentVariables[name] ?? null),
      version: row?.version ?? 0,
      changed: row && row.value !== null ? changeOf(row, nameOf) : null,
    };
  };
  return {
    ...(Object.fromEntries([...names, 'logo' as const].map((name) => [name, describeSetting(name)])) as Pick<
      Settings,
      SettingName | 'logo'
    >),
    publicUrl: config.publicUrl,
    mail: config.smtpUrl !== null ? 'smtp' : config.mailbox !== null ? 'development-mailbox' : 'off',
    mailConnection:
      config.smtpUrl === null ? null : mailConnectionTo(config.smtpUrl, config.smtpAllowsPlainText),
    provider: providerHosts(config).join(', '),
    providerIsEmbedded: config.embeddedProvider !== null,
  };
}

/** Stores the picture and deletes all others. */
async function storeLogo(
  transaction: Queryable,
  logo: { hash: string; bytes: Buffer } | null,
): Promise<void> {
  await execute(transaction)`delete from logos where hash is distinct from ${logo?.hash ?? null}`;
  if (logo)
    await execute(transaction)`
      insert into logos (hash, bytes) values (${logo.hash}, ${logo.bytes}) on conflict do nothing`;
}

/** Serves the picture at `/api/logo`. */
function serveLogo(app: FastifyInstance, database: Database): void {
  app.get('/api/logo', { config: { access: 'public' } }, async (request, reply) => {
    const logo = await rowOf<StoredLogo & { bytes: Buffer | null }>(database, {
      name: 'read-logo',
    })`
      select hash, value->>'type' as type, ${rawSql((copies) => bytesUnlessCopied('hash', copies), copiesOf(request))}
      from settings join logos on hash = value->>'hash' where name = 'logo'`;
    if (!logo) throw fail(requestErrors.notFound);
    return sendPicture(reply, logo);
  });
}
