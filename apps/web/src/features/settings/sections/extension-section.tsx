/** Settings of an extension. Only part of builds with extensions that have settings (extensions-plugin.ts). */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import {
  changeExtensionSettings,
  extensionErrors,
  extensionSettingRule,
  listExtensions,
  type Extension,
  type ExtensionSetting,
} from '@vestibule/contract/extensions';
import { CallFailure } from '../../../language/call-failure.ts';
import { toFormErrors } from '../../../language/field-errors.ts';
import { formatNumber } from '../../../language/formats.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { call } from '../../../lib/call.ts';
import { firstProblem } from '../../../lib/field-problems.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Loading } from '../../../ui/states.tsx';
import type { SettingField } from '../form/setting-fields.ts';
import { useSettingForm, type SavedTexts } from '../form/setting-form.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import type { AreaId } from '../sections.ts';

const queryKey = ['extensions'];

export default function ExtensionSection({ extension, area }: { extension: string; area: AreaId }) {
  const query = useApiQuery(listExtensions, { key: queryKey, changesOf: 'extensions' });
  const queries = useQueryClient();
  const current = query.data?.rows.find(({ name }) => name === extension);
  return (
    <>
      <Loading query={query} title={t`The settings could not be loaded`} lines={4} />
      {query.data && !current && <p>{t`The server does not have this extension.`}</p>}
      {current && (
        <ExtensionForm
          area={area}
          current={current}
          onSaved={(saved) =>
            queries.setQueryData<typeof query.data>(
              queryKey,
              (data) =>
                data && { ...data, rows: data.rows.map((one) => (one.name === extension ? saved : one)) },
            )
          }
          onConflict={async () => (await query.refetch()).data?.rows.find(({ name }) => name === extension)}
        />
      )}
    </>
  );
}

type Props = {
  area: AreaId;
  current: Extension;
  onSaved: (saved: Extension) => void;
  /** Reloads the settings after another administrator's change. */
  onConflict: () => Promise<Extension | undefined>;
};

/** All settings of an extension have one version. */
const textsOf = ({ settings, version }: Extension): SavedTexts =>
  Object.fromEntries(settings.map(({ name, value }) => [name, { text: String(value), version }]));

function ExtensionForm({ area, current, onSaved, onConflict }: Props) {
  const { name: extension, settings } = current;
  const settingOf = (name: string) => settings.find((one) => one.name === name);
  const form = useSettingForm({
    area,
    saved: textsOf(current),
    problemOf(name, text) {
      const setting = settingOf(name);
      return setting && firstProblem(extensionSettingRule(setting), toValue(setting, text));
    },
    async save(changes) {
      const entries = Object.entries(changes);
      const saved = await call(changeExtensionSettings, {
        params: { name: extension },
        query: { version: Math.min(...entries.map(([, { version }]) => version)) },
        body: {
          values: Object.fromEntries(
            entries.map(([name, { text }]) => [name, toValue(settingOf(name), text)]),
          ),
        },
      });
      onSaved(saved);
      return textsOf(saved);
    },
    async onFailure(error, changed) {
      if (!(error instanceof CallFailure) || error.code !== extensionErrors.changed.code) return null;
      const next = await onConflict();
      const conflicts = next?.settings.filter(({ name, value }) => changed.includes(name) && value !== '');
      const savedValues = (conflicts ?? []).map((setting): [string, string] => {
        const value = shownValue(extension, setting);
        return [setting.name, t`The saved value is: ${value}`];
      });
      return {
        saved: next && textsOf(next),
        errors: { ...toFormErrors(error), ...Object.fromEntries(savedValues) },
      };
    },
  });
  return <SettingsForm form={form} fields={settings.map((setting) => fieldOf(extension, setting))} />;
}

function fieldOf(extension: string, setting: ExtensionSetting): SettingField<string> {
  const { name, kind, minimum, maximum, values } = setting;
  const id = `setting:${extension}.${name}`;
  const [least, most] = [formatNumber(minimum ?? 0), formatNumber(maximum ?? 0)];
  const range = kind === 'number' ? t`${least} to ${most}` : '';
  const hint = setting.hint === null ? '' : formatMessage({ code: `${id}:hint`, message: setting.hint });
  const field = {
    name,
    label: formatMessage({ code: id, message: setting.label }),
    description: [hint, range].filter(Boolean).join(' · '),
  };
  switch (kind) {
    case 'choice':
      return {
        ...field,
        kind,
        options: values.map(({ value, label }) => ({
          value,
          label: formatMessage({ code: `${id}:${value}`, message: label }),
        })),
      };
    case 'switch':
      return {
        ...field,
        kind: 'choice',
        options: [
          { value: 'true', label: t`On` },
          { value: 'false', label: t`Off` },
        ],
      };
    case 'number':
      return { ...field, kind };
    case 'text':
      return { ...field, kind: (maximum ?? 0) > 200 ? 'paragraphs' : 'text' };
  }
}

/** Returns the saved value as its field shows it. */
function shownValue(extension: string, { name, kind, value, values }: ExtensionSetting): string {
  if (kind === 'switch') return value === true ? t`On` : t`Off`;
  const option = values.find((one) => kind === 'choice' && one.value === value);
  return option
    ? formatMessage({ code: `setting:${extension}.${name}:${option.value}`, message: option.label })
    : String(value);
}

/** Parses a field's text; NaN for an invalid number, which the rule rejects. */
function toValue(setting: ExtensionSetting | undefined, text: string): string | number | boolean {
  const typed = text.trim();
  if (setting?.kind === 'switch') return typed === 'true';
  if (setting?.kind === 'number') return /^-?\d{1,15}$/.test(typed) ? Number(typed) : Number.NaN;
  return typed;
}
