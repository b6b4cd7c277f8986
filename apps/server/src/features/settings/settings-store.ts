/** Settings that administrators change in the browser, stored in the database. The process configuration provides the defaults. */
import { batchMaximum } from '@vestibule/contract/rules/limits';
import type { settingRules, SettingName } from '@vestibule/contract/settings/rules';
import type * as z from 'zod/mini';
import type { Config } from '../../platform/config/read-config.ts';
import {
  execute,
  jsonParameter,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { requireNoTransaction } from '../../platform/database/held-connection.ts';

/** Domains are in lower case, as A-labels. `logo.path` changes with the picture. */
export type CurrentSettings = {
  [Name in SettingName]: z.output<(typeof settingRules)[Name]>;
} & { logo: { path: string; width: number; height: number } | null };

export type StoredName = SettingName | 'logo';

/** The picture bytes are in the table `logos`. */
export type StoredLogo = { hash: string; type: string; width: number; height: number };

export type StoredSetting = {
  name: StoredName;
  value: unknown;
  version: number;
  changed_at: Date;
  changed_by: string;
};

export type SettingsStore = ReturnType<typeof createSettingsStore>;

const cacheMs = 1_000;

export const defaultSettings = (config: Config): Omit<CurrentSettings, 'senderName'> => ({
  productName: config.productName,
  accentColor: '',
  supportEmail: config.supportEmail,
  privacyUrl: '',
  imprintUrl: '',
  senderAddress: config.mailFrom,
  mailLanguage: 'en',
  invitationLifetimeDays: config.invitationLifetimeDays,
  reminderDays: 0,
  invitationsPerBatch: batchMaximum,
  resendsPerHour: 3,
  newLinkDays: 30,
  allowedDomains: [],
  sessionIdleHours: 12,
  sessionDays: 7,
  signInDomains: [],
  passkeyRequired: 'none',
  codeBeforePasskey: false,
  keepInvitationsDays: 0,
  keepSignInsDays: 0,
  keepActivityDays: 0,
  logo: null,
});

export function createSettingsStore(deps: DatabaseDeps & { config: Config }) {
  const { database, now } = deps;
  const defaults = defaultSettings(deps.config);
  let cached: CurrentSettings | undefined;
  let cachedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<CurrentSettings> | undefined;

  async function read(source: Queryable): Promise<CurrentSettings> {
    const startedAt = now();
    try {
      const settings = mergeSettings(await readStoredSettings(source), defaults);
      cached = settings;
      cachedAt = startedAt;
      return settings;
    } catch (error) {
      if (!cached) throw error;
      cachedAt = startedAt;
      return cached;
    }
  }

  return {
    /**
     * Returns the current settings, cached for a second. Inside a transaction, pass it to avoid a second connection. While the database is
     * unavailable, returns the last known settings; throws if they were never read.
     */
    current(transaction?: Queryable): Promise<CurrentSettings> {
      if (!transaction) requireNoTransaction();
      if (cached && now() - cachedAt < cacheMs) return Promise.resolve(cached);
      // Not shared: other callers would wait for this transaction.
      if (transaction) return read(transaction);
      if (reading) return reading;
      const pending = read(database).finally(() => {
        if (reading === pending) reading = undefined;
      });
      reading = pending;
      return pending;
    },
    /** Invalidates the cache after a change by this process. */
    invalidate(): void {
      cachedAt = Number.NEGATIVE_INFINITY;
      reading = undefined;
    },
  };
}

export function mergeSettings(
  stored: StoredSetting[],
  defaults: Omit<CurrentSettings, 'senderName'>,
): CurrentSettings {
  const changed = Object.fromEntries(
    stored
      .filter(({ value }) => value !== null)
      .map(({ name, value }) => [name, name === 'logo' ? toPublicLogo(value as StoredLogo) : value]),
  ) as Partial<CurrentSettings>;
  const settings = { ...defaults, ...changed };
  return { ...settings, senderName: changed.senderName ?? settings.productName };
}

const toPublicLogo = ({ hash, width, height }: StoredLogo): CurrentSettings['logo'] => ({
  path: `/api/logo?v=${hash.slice(0, 12)}`,
  width,
  height,
});

export const readStoredSettings = (database: Queryable) =>
  rowsOf<StoredSetting>(database, { name: 'read-settings' })`
    select name, value, version, changed_at, changed_by from settings`;

/** A null `value` resets the setting. The caller must have compared versions under the lock. */
export async function writeSetting(
  transaction: Queryable,
  setting: { name: StoredName; value: unknown; at: Date; by: string },
): Promise<void> {
  await execute(transaction)`
    insert into settings as stored (name, value, version, changed_at, changed_by)
      values (${setting.name}, ${setting.value === null ? null : jsonParameter(setting.value)}, 1, ${setting.at},
      ${setting.by})
    on conflict (name) do update set value = excluded.value, version = stored.version + 1,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by`;
}
