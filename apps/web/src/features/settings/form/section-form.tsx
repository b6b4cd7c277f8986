/** Form of a settings section: fields with their sources, and buttons once something has changed. */
import { t } from '@lingui/core/macro';
import { getRouteApi } from '@tanstack/react-router';
import type { SettingName } from '@vestibule/contract/settings/rules';
import { useEffect, type ReactNode } from 'react';
import type { AreaId } from '../sections.ts';
import { useTechnicalNames } from '../technical-names.ts';
import { useReportUnsaved } from '../unsaved-sections.ts';
import { Button } from '../../../ui/button.tsx';
import { ColorField } from '../../../ui/fields/color-field.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import type { SettingField } from './setting-fields.ts';
import { useSettingForm, type SettingForm, type SettingsSection } from './setting-form.ts';
import { SettingSource } from './setting-source.tsx';

const route = getRouteApi('/_signed-in/layout/settings/$section');

/** A value configured on the server; `variable` is its environment variable. */
type ServerFact = { name: string; value: ReactNode; variable?: string };

export function ServerFacts({ facts }: { facts: readonly ServerFact[] }) {
  const technical = useTechnicalNames();
  return (
    <Facts
      items={facts.map(({ name, value, variable }) => ({
        name,
        value: (
          <>
            {value}
            <span className="setting-source">
              {technical && variable
                ? t`Set on the server (${variable}), not here.`
                : t`Set on the server, not here.`}
            </span>
          </>
        ),
      }))}
    />
  );
}

/** Each function in `notes` renders a hint below its field, based on the typed text. */
export function SectionForm({
  section,
  area,
  facts,
  fields,
  notes = {},
}: {
  section: SettingsSection;
  area: AreaId;
  facts?: readonly ServerFact[];
  fields: readonly SettingField[];
  notes?: Partial<Record<SettingName, (text: string) => ReactNode>>;
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
          {notes[field.name]?.(form.values[field.name])}
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
