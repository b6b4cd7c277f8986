/** Form of settings: fields, and buttons once something has changed. */
import { t } from '@lingui/core/macro';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ColorField, SelectField, TextArea, TextField } from '../../../ui/fields/field.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import type { SettingField } from './setting-fields.ts';
import type { SettingForm } from './setting-form.ts';

const route = getRouteApi('/_signed-in/layout/settings/$section');

export function SettingsForm<Field extends SettingField<string>>({
  form,
  fields,
  above,
  renderSource,
}: {
  form: SettingForm;
  fields: readonly Field[];
  above?: ReactNode;
  /** Renders the source of a value below its field. */
  renderSource?: (field: Field) => ReactNode;
}) {
  useFocusFromAddress(form.id);
  return (
    <Form form={form}>
      {above}
      {fields.map((field) => (
        <div key={field.name}>
          {renderField(field, form)}
          {renderSource?.(field)}
        </div>
      ))}
      {form.isChanged && (
        <div className="settings-foot settings-save">
          <SubmitButton form={form}>{t`Save`}</SubmitButton>
          <Button onClick={form.discard}>{t`Discard changes`}</Button>
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

function renderField(field: SettingField<string>, form: SettingForm) {
  const { name, label, description } = field;
  const props = { label, description, ...form.text(name) };
  switch (field.kind) {
    case 'choice':
      return <SelectField options={field.options} {...props} />;
    case 'lines':
      return <TextArea spellCheck={false} {...props} />;
    case 'paragraphs':
      return <TextArea {...props} />;
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
