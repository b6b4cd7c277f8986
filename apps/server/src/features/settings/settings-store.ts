/**
 * The settings that administrators change in the browser, kept in the database. The configuration of the process
 * gives their defaults. Other features read `current()`; only settings.ts reads the details and writes.
 */
import { deriveAccent, type AccentShades, type Background } from '@vestibule/contract/rules/accent';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import type { settingRules, SettingName } from '@vestibule/contract/settings/rules';
import type * as z from 'zod/mini';
import type { Config } from '../../platform/config/read-config.ts';
import {
  jsonParameter,
  requireNoTransaction,
  rowsOf,
  type Queryable,
  type Timed,
} from '../../platform/database/database.ts';

/**
 * What holds now, as the rules allow it; domains are in lower case, as A-labels. `logo.path` is on this site, and changes with
 * the picture.
 */
export type CurrentSettings = {
  [Name in SettingName]: z.output<(typeof settingRules)[Name]>;
} & { logo: { path: string; width: number; height: number } | null };

export type StoredName = SettingName | 'logo';

/** How the logo is kept; its bytes are in a table of their own. */
export type StoredLogo = { hash: string; type: string; width: number; height: number };

export type StoredSetting = {
  name: StoredName;
  value: unknown;
  version: number;
  changed_at: Date;
  changed_by: string;
};

export type SettingsStore = {
  /**
   * Returns the current settings, cached for a second. Inside a transaction pass it, so that no second connection is
   * needed. While the database cannot be read, returns the last known settings; throws only if they were never read.
   */
  current(within?: Queryable): Promise<CurrentSettings>;
  /** Forgets what `current` remembers, after a change by this process. */
  forget(): void;
};

const rememberedMilliseconds = 1_000;

/** What holds while nobody has changed anything. */
export function defaultSettings(config: Config): Omit<CurrentSettings, 'senderName'> {
  return {
    productName: config.productName,
    accentColor: '',
    supportEmail: config.supportEmail,
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
  };
}

export function createSettingsStore(deps: Timed & { config: Config }): SettingsStore {
  const { database, now } = deps;
  const defaults = defaultSettings(deps.config);
  let known: CurrentSettings | undefined;
  let knownAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<CurrentSettings> | undefined;
  let changes = 0;

  async function read(source: Queryable): Promise<CurrentSettings> {
    const startedAt = now();
    const before = changes;
    try {
      const settings = settle(await readStoredSettings(source), defaults);
      // What was read before a change is not remembered after it.
      if (before === changes) {
        known = settings;
        knownAt = startedAt;
      }
      return settings;
    } catch (error) {
      if (!known) throw error;
      knownAt = startedAt;
      return known;
    }
  }

  return {
    current(within) {
      if (!within) requireNoTransaction();
      if (known && now() - knownAt < rememberedMilliseconds) return Promise.resolve(known);
      // Never shared: another caller would wait for this transaction.
      if (within) return read(within);
      if (reading) return reading;
      const mine = read(database).finally(() => {
        if (reading === mine) reading = undefined;
      });
      reading = mine;
      return mine;
    },
    forget() {
      changes += 1;
      knownAt = Number.NEGATIVE_INFINITY;
      reading = undefined;
    },
  };
}

/** The site's accent in shades for a page; null where the page keeps its own. */
export async function siteAccent(settings: SettingsStore, on: Background): Promise<AccentShades | null> {
  const { accentColor } = await settings.current();
  return accentColor === '' ? null : deriveAccent(accentColor, on);
}

/** Puts what was changed over the defaults. */
export function settle(
  stored: StoredSetting[],
  defaults: Omit<CurrentSettings, 'senderName'>,
): CurrentSettings {
  const changed = Object.fromEntries(
    stored
      .filter(({ value }) => value !== null)
      .map(({ name, value }) => [name, name === 'logo' ? shownLogo(value as StoredLogo) : value]),
  ) as Partial<CurrentSettings>;
  const settings = { ...defaults, ...changed };
  return { ...settings, senderName: changed.senderName ?? settings.productName };
}

function shownLogo({ hash, width, height }: StoredLogo): CurrentSettings['logo'] {
  return { path: `/api/logo?v=${hash.slice(0, 12)}`, width, height };
}

export async function readStoredSettings(database: Queryable): Promise<StoredSetting[]> {
  return rowsOf<StoredSetting>(database, {
    name: 'read-settings',
    text: 'select name, value, version, changed_at, changed_by from settings',
  });
}

/** Writes one setting, `value` null to reset it. The caller has compared versions under the lock. */
export async function writeSetting(
  transaction: Queryable,
  setting: { name: StoredName; value: unknown; at: Date; by: string },
): Promise<void> {
  await transaction.query({
    text: `insert into settings as stored (name, value, version, changed_at, changed_by) values ($1, $2, 1, $3, $4)
           on conflict (name) do update set value = excluded.value, version = stored.version + 1,
             changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
    values: [
      setting.name,
      setting.value === null ? null : jsonParameter(setting.value),
      setting.at,
      setting.by,
    ],
  });
}
