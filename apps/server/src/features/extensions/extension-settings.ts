/** Settings of extensions: stored values, and the routes to read and change them. */
import {
  changeExtensionSettings,
  extensionErrors,
  extensionSettingRule,
  listExtensions,
  type Extension as ListedExtension,
  type ExtensionSetting,
} from '@vestibule/contract/extensions';
import { requestErrors } from '@vestibule/contract/request-errors';
import { findSchemaMessage, type Message } from '@vestibule/contract/texts/text';
import { auditOf } from '../../platform/audit/audit-log.ts';
import {
  execute,
  jsonParameter,
  rowOf,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { extensionApiVersion, type LoadedExtension } from '../../platform/extensions/extension.ts';
import type { SettingDefinition } from '../../platform/extensions/settings.ts';
import { implement } from '../../platform/http/implement.ts';

type StoredSettings = { extension: string; value: Record<string, unknown>; version: number };

/** Versions begin with 1, that of the defaults. */
const noSettings = { value: {}, version: 1 };

/** Returns the current value of each setting. A stored value that a newer definition does not allow counts as absent. */
export async function readSettings(
  database: Queryable,
  { name, definition }: LoadedExtension,
): Promise<Record<string, unknown>> {
  const stored = await rowOf<StoredSettings>(database, { name: 'read-extension-settings' })`
    select extension, value, version from extension_settings where extension = ${name}`;
  return Object.fromEntries(
    Object.entries(definition?.settings ?? {}).map(([setting, one]) => [
      setting,
      currentValue(one, stored?.value[setting]),
    ]),
  );
}

const currentValue = (definition: SettingDefinition, stored: unknown) =>
  findProblem(definition, stored) === null ? stored : definition.default;

/** Returns the problem of a value; null if it is valid. */
function findProblem(definition: SettingDefinition, value: unknown): Message | string | null {
  const [issue] = extensionSettingRule(limitsOf(definition)).safeParse(value).error?.issues ?? [];
  return issue ? (findSchemaMessage(issue.message) ?? issue.message) : null;
}

const extensionAudit = auditOf('extension', 'id');

const limitsOf = (definition: SettingDefinition) => ({
  kind: definition.kind,
  minimum: definition.kind === 'number' ? definition.minimum : null,
  maximum: definition.kind === 'number' || definition.kind === 'text' ? definition.maximum : null,
  values:
    definition.kind === 'choice'
      ? Object.entries(definition.values).map(([value, label]) => ({ value, label }))
      : [],
});

export const settingRoutes = ({ database, now }: DatabaseDeps, extensions: readonly LoadedExtension[]) => [
  implement(listExtensions, async () => {
    const stored = await rowsOf<StoredSettings>(
      database,
      'select extension, value, version from extension_settings',
    );
    const byName = new Map(stored.map((row) => [row.extension, row]));
    return {
      apiVersion: extensionApiVersion,
      rows: extensions.map((extension) => describe(extension, byName.get(extension.name))),
    };
  }),

  implement(changeExtensionSettings, ({ params, query, body, ...call }) => {
    const extension = extensions.find(({ name }) => name === params.name);
    if (!extension) throw fail(extensionErrors.notFound);
    const problems = Object.entries(body.values).flatMap(([setting, value]) => {
      const problem = problemOf(extension, setting, value);
      return problem === null ? [] : [[`values.${setting}`, problem]];
    });
    if (problems.length > 0)
      throw fail(requestErrors.invalid, {
        fields: Object.fromEntries(problems) as Record<string, Message | string>,
      });
    return database.transaction(async (transaction) => {
      // Serializes concurrent changes of an extension without a row.
      await execute(transaction, 'lock table extension_settings in share row exclusive mode');
      const before =
        (await rowOf<StoredSettings>(transaction)`
          select extension, value, version from extension_settings where extension = ${extension.name}`) ??
        noSettings;
      if (query.version !== undefined && query.version !== before.version)
        throw fail(extensionErrors.changed);
      const value = Object.fromEntries(
        Object.entries({ ...before.value, ...body.values }).filter(([, one]) => one !== null),
      );
      await execute(transaction)`
        insert into extension_settings as stored (extension, value, version, changed_at, changed_by)
        values (${extension.name}, ${jsonParameter(value)}, 2, ${new Date(now())}, ${call.caller.email})
        on conflict (extension) do update set value = excluded.value, version = stored.version + 1,
          changed_at = excluded.changed_at, changed_by = excluded.changed_by`;
      const detail = { before: before.value, after: value };
      const target = { id: extension.name };
      await extensionAudit.record(transaction, target, 'extension.settings_changed', call, detail);
      return describe(extension, { value, version: before.version + 1 });
    });
  }),
];

function problemOf({ definition }: LoadedExtension, setting: string, value: unknown) {
  const settings = definition?.settings ?? {};
  const one = Object.hasOwn(settings, setting) ? settings[setting] : undefined;
  if (!one) return 'This extension has no such setting.';
  return value === null ? null : findProblem(one, value);
}

const describe = (
  { name, definition }: LoadedExtension,
  { value: stored, version }: Pick<StoredSettings, 'value' | 'version'> = noSettings,
): ListedExtension => ({
  name,
  label: definition?.label ?? name,
  requires: definition?.requires ?? null,
  webhookEvents: definition?.webhookEvents ?? [],
  version,
  settings: Object.entries(definition?.settings ?? {}).map(([setting, one]) => ({
    name: setting,
    label: one.label,
    hint: one.hint ?? null,
    ...limitsOf(one),
    value: currentValue(one, stored[setting]) as ExtensionSetting['value'],
    default: one.default,
  })),
});
