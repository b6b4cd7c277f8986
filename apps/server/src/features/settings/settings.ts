/** Settings: how this deployment is configured, and what administrators change of it in the browser. */
import { requestErrors } from '@vestibule/contract/request-errors';
import {
  changeSettings,
  getSettings,
  settingRules,
  settingsErrors,
  type SettingName,
  type Settings,
} from '@vestibule/contract/settings';
import { recordChanges } from '../../platform/audit/audit-log.ts';
import type { Config } from '../../platform/config/read-config.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import {
  defaultSettings,
  readStoredSettings,
  settle,
  writeSetting,
  type SettingsStore,
  type StoredSetting,
} from './settings-store.ts';

const names = Object.keys(settingRules) as SettingName[];

/** The environment variables that defaults come from; the other defaults are built in. */
const variables: Partial<Record<SettingName, string>> = {
  productName: 'PRODUCT_NAME',
  senderName: 'PRODUCT_NAME',
  supportEmail: 'SUPPORT_EMAIL',
  senderAddress: 'MAIL_FROM',
  invitationLifetimeDays: 'INVITATION_LIFETIME_DAYS',
};

/** How the activity log calls them. */
const labels: Record<SettingName, string> = {
  productName: 'Product name',
  supportEmail: 'Support address',
  senderName: "Sender's name",
  senderAddress: "Sender's address",
  mailLanguage: 'Language of mails',
  invitationLifetimeDays: 'Lifetime of invitations',
  reminderDays: 'Reminder',
  invitationsPerBatch: 'Invitations per batch',
  resendsPerHour: 'Sending again',
  allowedDomains: 'Allowed domains',
};

/** Held while settings change, so that versions are compared and written by one administrator at a time. */
export const settingsLock = 7_233_006;

export function settings(deps: {
  database: Database;
  config: Config;
  settings: SettingsStore;
  now: () => number;
}): Implementation[] {
  const { database, config } = deps;

  return [
    implement(getSettings, async () => describe(await readStoredSettings(database), config)),

    implement(changeSettings, async ({ body, caller, origin }) => {
      const { versions, ...asked } = body;
      const wanted = prepare(asked);
      const unnamed = wanted.filter(({ name }) => versions[name] === undefined);
      if (unnamed.length > 0)
        throw fail(requestErrors.invalid, {
          fields: Object.fromEntries(
            unnamed.map(({ name }) => [
              `versions.${name}`,
              'Name the version of this setting that you have seen.',
            ]),
          ),
        });
      const at = new Date(deps.now());
      const stored = await database.transaction(async (transaction) => {
        const before = await lockSettings(transaction);
        const values = describe(before, config);
        const changed = wanted.filter(({ name }) => values[name].version !== versions[name]);
        if (changed.length > 0)
          throw fail(settingsErrors.changedMeanwhile, {
            fields: Object.fromEntries(changed.map(({ name }) => [name, whatStandsThere(values[name])])),
          });
        for (const { name, value } of wanted)
          await writeSetting(transaction, { name, value, at, by: caller.email });
        const after = await readStoredSettings(transaction);
        const settled = describe(after, config);
        await recordChanges(
          transaction,
          wanted.map(({ name, value }) => ({
            action: value === null ? 'settings.reset' : 'settings.changed',
            actor: caller,
            target: { type: 'settings', id: name, label: labels[name] },
            origin,
            detail: { before: values[name].value, after: settled[name].value },
          })),
        );
        return after;
      });
      deps.settings.forget();
      return describe(stored, config);
    }),
  ];
}

/** Waits for other changes to end, and gives the settings as they are then. */
export async function lockSettings(transaction: Queryable): Promise<StoredSetting[]> {
  await transaction.query({ text: 'select pg_advisory_xact_lock($1)', values: [settingsLock] });
  return readStoredSettings(transaction);
}

/** The values to write, as they are kept. Refuses what only the server can judge. */
function prepare(asked: Partial<Record<SettingName, unknown>>): { name: SettingName; value: unknown }[] {
  const fields: Record<string, string> = {};
  const wanted = names.flatMap((name) => {
    const value = asked[name];
    if (value === undefined) return [];
    if (name === 'allowedDomains' && value !== null) {
      const domains = (value as string[]).map((domain) => ({ domain, canonical: canonicalDomain(domain) }));
      const unusable = domains.filter(({ canonical }) => canonical === null);
      if (unusable.length > 0)
        fields[name] =
          `Correct ${unusable.map(({ domain }) => domain).join(', ')}: a domain looks like example.com, in its usual spelling.`;
      return [{ name, value: [...new Set(domains.map(({ canonical }) => canonical))] }];
    }
    if (
      (name === 'supportEmail' || name === 'senderAddress') &&
      value !== null &&
      canonicalEmail(value as string) === null
    )
      fields[name] = 'This address cannot be used. Write the domain in its usual spelling.';
    return [{ name, value }];
  });
  if (Object.keys(fields).length > 0) throw fail(requestErrors.invalid, { fields });
  return wanted;
}

function canonicalDomain(domain: string): string | null {
  return canonicalEmail(`somebody@${domain}`)?.split('@')[1] ?? null;
}

function whatStandsThere({ value, changed }: { value: unknown; changed: { by: string } | null }): string {
  const shown = Array.isArray(value) ? value.join(', ') || 'nothing' : String(value);
  return `${changed?.by ?? 'Another administrator'} has changed this in the meantime. Now it is: ${shown}.`;
}

function describe(stored: StoredSetting[], config: Config): Settings {
  const defaults = settle([], defaultSettings(config));
  const current = settle(stored, defaultSettings(config));
  const rows = new Map(stored.map((row) => [row.name, row]));
  const one = (name: SettingName | 'logo') => {
    const row = rows.get(name);
    return {
      value: current[name],
      // Without a name of its own, the sender is called as the product is called now.
      default: name === 'senderName' ? current.productName : defaults[name],
      variable: name === 'logo' ? null : (variables[name] ?? null),
      version: row?.version ?? 0,
      changed: row && row.value !== null ? { at: row.changed_at.toISOString(), by: row.changed_by } : null,
    };
  };
  return {
    ...(Object.fromEntries([...names, 'logo' as const].map((name) => [name, one(name)])) as Pick<
      Settings,
      SettingName | 'logo'
    >),
    publicUrl: config.publicUrl,
    mail: config.smtpUrl !== null ? 'smtp' : config.mailbox !== null ? 'development-mailbox' : 'off',
    provider: new URL(config.provider.authBaseUrl).host,
    providerIsEmbedded: config.embeddedProvider !== null,
  };
}
