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
import { useState } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { toFormErrors } from '../../../language/field-errors.ts';
import { formatNumber } from '../../../language/formats.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { call } from '../../../lib/call.ts';
import { firstProblem } from '../../../lib/field-problems.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../../ui/fields/field.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { useForm, type FormState } from '../../../ui/fields/use-form.ts';
import { Loading } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast/toast.tsx';
import type { AreaId } from '../sections.ts';
import { clearUnsaved, draftKey, useReportUnsaved } from '../unsaved-sections.ts';

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
          onOvertaken={async () => (await query.refetch()).data?.rows.find(({ name }) => name === extension)}
        />
      )}
    </>
  );
}

/** Version on which the texts are based. The names of settings are the other keys. */
const versionKey = '#version';

/** Texts of the fields by name. */
type Values = Record<string, string>;

const valuesOf = ({ settings, version }: Extension): Values => ({
  ...Object.fromEntries(settings.map(({ name, value }) => [name, String(value)])),
  [versionKey]: String(version),
});

type Props = {
  area: AreaId;
  current: Extension;
  onSaved: (saved: Extension) => void;
  /** Reloads the settings after another administrator's change. */
  onOvertaken: () => Promise<Extension | undefined>;
};

function ExtensionForm({ area, current, onSaved, onOvertaken }: Props) {
  const { name: extension, settings } = current;
  const changedIn = (values: Values) =>
    settings.filter(({ name, value }) => (values[name] ?? '').trim() !== String(value));
  const form = useForm<Values>({
    initial: valuesOf(current),
    draft: draftKey(area),
    outlives: true,
    validate: (values) =>
      Object.fromEntries(
        changedIn(values).flatMap((setting) => {
          const problem = firstProblem(
            extensionSettingRule(setting),
            toValue(setting, values[setting.name] ?? ''),
          );
          return problem === undefined ? [] : [[setting.name, problem]];
        }),
      ),
    async onSubmit(sent) {
      const changed = changedIn(sent);
      // Enter was pressed without a change.
      if (changed.length === 0) return undefined;
      try {
        const values = Object.fromEntries(
          changed.map((setting) => [setting.name, toValue(setting, sent[setting.name] ?? '')]),
        );
        const saved = await call(changeExtensionSettings, {
          params: { name: extension },
          query: { version: Number(sent[versionKey]) },
          body: { values },
        });
        adopt(saved, []);
        onSaved(saved);
        clearUnsaved(area, sent);
        toast.success(t`Saved.`);
        // The focused button is unmounted, so the form takes the focus.
        document.getElementById(form.id)?.focus({ preventScroll: true });
        return undefined;
      } catch (error) {
        if (error instanceof CallFailure && error.code === extensionErrors.changed.code) {
          const next = await onOvertaken();
          if (!next) return toFormErrors(error);
          // The user has seen the conflict, so the next attempt overwrites.
          form.set(versionKey, String(next.version));
          const isChanged = ({ name }: ExtensionSetting) => changed.some((one) => one.name === name);
          const conflicts = next.settings.filter((setting) => isChanged(setting) && setting.value !== '');
          const savedValues = conflicts.map((setting) => {
            const value = shownValue(extension, setting);
            return [setting.name, t`The saved value is: ${value}`];
          });
          return { ...toFormErrors(error), ...(Object.fromEntries(savedValues) as Values) };
        }
        return Object.fromEntries(
          Object.entries(toFormErrors(error)).map(([name, text]) => [name.replace(/^values\./, ''), text]),
        );
      }
    },
  });
  const adopt = (next: Extension, typed: readonly ExtensionSetting[]) => {
    const values = valuesOf(next);
    for (const { name } of next.settings)
      if (!typed.some((one) => one.name === name)) form.set(name, values[name] ?? '');
    // With the previous version, saving reports that a typed setting was changed by another administrator.
    const isOvertaken = typed.some(({ name, value }) => values[name] !== String(value));
    if (!isOvertaken) form.set(versionKey, values[versionKey] ?? '');
  };
  const [shown, setShown] = useState(current);
  if (shown !== current) {
    setShown(current);
    if (String(current.version) !== form.values[versionKey])
      adopt(
        current,
        shown.settings.filter(({ name, value }) => (form.values[name] ?? '').trim() !== String(value)),
      );
  }
  const isChanged = changedIn(form.values).length > 0;
  useReportUnsaved(area, isChanged);

  return (
    <Form form={form}>
      {settings.map((setting) => (
        <SettingField key={setting.name} extension={extension} setting={setting} form={form} />
      ))}
      {isChanged && (
        <div className="settings-foot settings-save">
          <SubmitButton form={form}>{t`Save`}</SubmitButton>
          <Button
            onClick={() => {
              adopt(current, []);
              // The focused button is unmounted, so the form takes the focus.
              document.getElementById(form.id)?.focus({ preventScroll: true });
            }}
          >
            {t`Discard changes`}
          </Button>
        </div>
      )}
    </Form>
  );
}

type FieldProps = { extension: string; setting: ExtensionSetting; form: FormState<Values> };

function SettingField({ extension, setting, form }: FieldProps) {
  const { name, kind } = setting;
  const longest = setting.maximum ?? 0;
  const id = `setting:${extension}.${name}`;
  const [least, most] = [formatNumber(setting.minimum ?? 0), formatNumber(setting.maximum ?? 0)];
  const range = kind === 'number' ? t`${least} to ${most}` : '';
  const hint = setting.hint === null ? '' : formatMessage({ code: `${id}:hint`, message: setting.hint });
  const props = {
    label: formatMessage({ code: id, message: setting.label }),
    description: [hint, range].filter(Boolean).join(' · '),
    ...form.text(name),
  };
  switch (kind) {
    case 'choice':
      return (
        <SelectField
          options={setting.values.map(({ value, label }) => ({
            value,
            label: formatMessage({ code: `${id}:${value}`, message: label }),
          }))}
          {...props}
        />
      );
    case 'switch':
      return (
        <SelectField
          options={[
            { value: 'true', label: t`On` },
            { value: 'false', label: t`Off` },
          ]}
          {...props}
        />
      );
    case 'number':
      return <TextField inputMode="numeric" autoComplete="off" {...props} />;
    case 'text':
      return longest > 200 ? <TextArea {...props} /> : <TextField autoComplete="off" {...props} />;
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
function toValue({ kind }: ExtensionSetting, text: string): string | number | boolean {
  const typed = text.trim();
  if (kind === 'switch') return typed === 'true';
  if (kind === 'number') return /^-?\d{1,15}$/.test(typed) ? Number(typed) : Number.NaN;
  return typed;
}
