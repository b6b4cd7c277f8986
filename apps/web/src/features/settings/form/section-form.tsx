/** Form of a section of the site's settings: fields with the sources of their values. */
import { t } from '@lingui/core/macro';
import { changeSettings, settingsErrors, type Settings } from '@vestibule/contract/settings';
import { settingRules, type SettingName, type SettingsChange } from '@vestibule/contract/settings/rules';
import type { ReactNode } from 'react';
import type { AreaId } from '../sections.ts';
import { CallFailure } from '../../../language/call-failure.ts';
import { formatDay } from '../../../language/formats.ts';
import { call } from '../../../lib/call.ts';
import { firstProblem } from '../../../lib/field-problems.ts';
import { QuietButton } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { runWithErrorToast, toast } from '../../../ui/toast/toast.tsx';
import type { SettingField } from './setting-fields.ts';
import { useSettingForm, type SavedTexts } from './setting-form.ts';
import { toInlineText, toText, toValue, type SettingValue } from './setting-values.ts';
import { SettingsForm } from './settings-form.tsx';

export type SettingsSection = {
  settings: Settings;
  onSettings: (settings: Settings) => void;
  /** Reloads the settings after another administrator's change. */
  onConflict: () => Promise<Settings | undefined>;
};

/** A value configured on the server; `variable` is its environment variable. */
type ServerFact = { name: string; value: ReactNode; variable?: string };

export function ServerFacts({ facts }: { facts: readonly ServerFact[] }) {
  return (
    <Facts
      items={facts.map(({ name, value, variable }) => ({
        name,
        value: (
          <>
            {value}
            <span className="setting-source">
              {variable ? t`Set on the server (${variable}), not here.` : t`Set on the server, not here.`}
            </span>
          </>
        ),
      }))}
    />
  );
}

export function SectionForm({
  section,
  area,
  facts,
  fields,
}: {
  section: SettingsSection;
  area: AreaId;
  facts?: readonly ServerFact[];
  fields: readonly SettingField[];
}) {
  const textsOf = (settings: Settings): SavedTexts =>
    Object.fromEntries(
      fields.map(({ name }) => [
        name,
        { text: toText(settings[name].value), version: settings[name].version },
      ]),
    );
  const form = useSettingForm({
    area,
    saved: textsOf(section.settings),
    problemOf: (name, text) =>
      firstProblem(settingRules[name as SettingName], toValue(name as SettingName, text)),
    async save(changes) {
      const entries = Object.entries(changes);
      const body: SettingsChange = {
        ...Object.fromEntries(entries.map(([name, { text }]) => [name, toValue(name as SettingName, text)])),
        versions: Object.fromEntries(entries.map(([name, { version }]) => [name, version])),
      };
      const settings = await call(changeSettings, { body });
      section.onSettings(settings);
      return textsOf(settings);
    },
    async onFailure(error) {
      if (!(error instanceof CallFailure) || error.code !== settingsErrors.changedMeanwhile.code) return null;
      const settings = await section.onConflict();
      return { saved: settings && textsOf(settings), errors: { ...error.fields, form: error.message } };
    },
  });
  return (
    <SettingsForm
      form={form}
      fields={fields}
      above={facts && <ServerFacts facts={facts} />}
      renderSource={(field) => <SettingSource section={section} field={field} />}
    />
  );
}

/** Shows below a field where the setting's value comes from, and a button that resets the value to the default. */
function SettingSource({
  section: { settings, onSettings, onConflict },
  field,
}: {
  section: SettingsSection;
  field: SettingField;
}) {
  const { name, label } = field;
  const { default: fallback, variable, version, changed } = settings[name];
  if (!changed) return <p className="setting-source">{sourceOf(variable)}</p>;

  const options = field.kind === 'choice' ? field.options : [];
  const called = (value: SettingValue) =>
    options.find((option) => option.value === String(value))?.label ?? toInlineText(value);

  const reset = async () => {
    const isDone = await runWithErrorToast(async () => {
      const body: SettingsChange = { [name]: null, versions: { [name]: version } };
      const next: Settings = await call(changeSettings, { body });
      onSettings(next);
      toast.success(t`${label} is ${called(next[name].value)} again.`);
    });
    if (!isDone) await onConflict();
  };
  return (
    <p className="setting-source">
      {t`Changed by ${changed.byName ?? changed.by} on ${formatDay(changed.at)}.`}{' '}
      <QuietButton onClick={reset} aria-label={t`Reset to ${called(fallback)}: ${label}`}>
        {t`Reset to ${called(fallback)}`}
      </QuietButton>
    </p>
  );
}

const sourceOf = (variable: string | null): string =>
  variable ? t`From the server’s configuration (${variable}).` : t`The default.`;
