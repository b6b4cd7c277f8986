/** Form of a settings section: fields with their sources, and buttons once something has changed. */
import { t } from '@lingui/core/macro';
import { getRouteApi } from '@tanstack/react-router';
import { changeSettings, type Settings } from '@vestibule/contract/settings';
import type { SettingName, SettingsChange } from '@vestibule/contract/settings/rules';
import { useEffect, type ReactNode } from 'react';
import type { AreaId } from '../sections.ts';
import { useReportUnsaved } from '../unsaved-sections.ts';
import { formatDay } from '../../../language/formats.ts';
import { call } from '../../../lib/call.ts';
import { Button, QuietButton } from '../../../ui/button.tsx';
import { ColorField, SelectField, TextArea, TextField } from '../../../ui/fields/field.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { runWithErrorToast, toast } from '../../../ui/toast/toast.tsx';
import type { SettingField } from './setting-fields.ts';
import {
  toInlineText,
  useSettingForm,
  type SettingForm,
  type SettingsSection,
  type SettingValue,
} from './setting-form.ts';

const route = getRouteApi('/_signed-in/layout/settings/$section');

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
  const form = useSettingForm(
    section,
    fields.map(({ name }) => name),
    area,
  );
  useReportUnsaved(area, form.isChanged);
  useFocusFromAddress(form.id);
  const discard = () => {
    form.discard();
    // The focused button is unmounted, so the form takes the focus.
    document.getElementById(form.id)?.focus({ preventScroll: true });
  };
  return (
    <Form form={form}>
      {facts && <ServerFacts facts={facts} />}
      {fields.map((field) => (
        <div key={field.name}>
          {renderField(field, form)}
          <SettingSource
            section={section}
            name={field.name}
            label={field.label}
            options={field.kind === 'choice' ? field.options : undefined}
          />
        </div>
      ))}
      {form.isChanged && (
        <div className="settings-foot settings-save">
          <SubmitButton form={form}>{t`Save`}</SubmitButton>
          <Button onClick={discard}>{t`Discard changes`}</Button>
        </div>
      )}
    </Form>
  );
}

/** Focuses the setting named in the address, once. */
function useFocusFromAddress(formId: string): void {
  const { setting } = route.useSearch();
  const navigate = route.useNavigate();
  useEffect(() => {
    if (setting === undefined) return;
    const field = document
      .getElementById(formId)
      ?.querySelector<HTMLElement>(`[name="${CSS.escape(setting)}"]`);
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
    void navigate({ search: {}, replace: true, resetScroll: false });
  }, [formId, setting, navigate]);
}

function renderField(field: SettingField, form: SettingForm) {
  const { name, label, description } = field;
  const props = { label, description, ...form.text(name) };
  switch (field.kind) {
    case 'choice':
      return <SelectField options={field.options} {...props} />;
    case 'lines':
      return <TextArea spellCheck={false} {...props} />;
    case 'colour':
      return (
        <ColorField
          autoComplete="off"
          spellCheck={false}
          maxLength={20}
          pickerLabel={t`Choose: ${label}`}
          onColour={(colour) => form.set(name, colour)}
          {...props}
        />
      );
    case 'number':
      return <TextField inputMode="numeric" autoComplete="off" {...props} />;
    default:
      return <TextField type={field.kind} autoComplete="off" {...props} />;
  }
}

/** Shows below a field where the setting's value comes from, and a button that resets the value to the default. */
function SettingSource({
  section: { settings, onSettings, onOvertaken },
  name,
  label,
  options = [],
}: {
  section: SettingsSection;
  name: SettingName;
  label: string;
  options?: readonly { value: string; label: string }[] | undefined;
}) {
  const { default: fallback, variable, version, changed } = settings[name];
  if (!changed) return <p className="setting-source">{sourceOf(variable)}</p>;

  const called = (value: SettingValue) =>
    options.find((option) => option.value === String(value))?.label ?? toInlineText(value);

  const reset = async () => {
    const isDone = await runWithErrorToast(async () => {
      const body: SettingsChange = { [name]: null, versions: { [name]: version } };
      const next: Settings = await call(changeSettings, { body });
      onSettings(next);
      toast.success(t`${label} is ${called(next[name].value)} again.`);
    });
    if (!isDone) await onOvertaken();
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

function sourceOf(variable: string | null): string {
  return variable ? t`From the server’s configuration (${variable}).` : t`The default.`;
}
