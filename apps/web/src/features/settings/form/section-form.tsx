/** The form of a section of Settings: each field with where its value comes from, then the buttons. */
import { Trans } from '@lingui/react/macro';
import { t } from '@lingui/core/macro';
import type { SettingName } from '@vestibule/contract/settings/rules';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ColourField } from '../../../ui/fields/colour-field.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useSettingForm, type SettingForm, type SettingsSection } from './setting-form.ts';
import { SettingSource } from './setting-source.tsx';

/** One setting as a field; without `kind` it is a line of text. */
export type SettingField = {
  name: SettingName;
  label: string;
  description?: string;
  /** What follows from what is typed, under the field. */
  note?: (text: string) => ReactNode;
} & (
  | { kind?: 'text' | 'email' | 'number' | 'lines' | 'colour' }
  | { kind: 'choice'; options: readonly { value: string; label: string }[] }
);

export function SectionForm({
  section,
  draft,
  facts,
  fields,
}: {
  section: SettingsSection;
  /** The name under which what was typed survives a reload. */
  draft: string;
  /** What stands above the fields and cannot be changed here. */
  facts?: Parameters<typeof Facts>[0]['items'];
  fields: readonly SettingField[];
}) {
  const form = useSettingForm(
    section,
    fields.map(({ name }) => name),
    draft,
  );
  return (
    <Form form={form}>
      {facts && <Facts items={facts} />}
      {fields.map((field) => (
        <div key={field.name}>
          {control(field, form)}
          {field.note?.(form.values[field.name])}
          <SettingSource
            section={section}
            name={field.name}
            label={field.label}
            options={field.kind === 'choice' ? field.options : undefined}
          />
        </div>
      ))}
      <div className="settings-foot">
        <SubmitButton form={form}>
          <Trans>Save</Trans>
        </SubmitButton>
        {form.isChanged && (
          <Button onClick={form.discard}>
            <Trans>Discard changes</Trans>
          </Button>
        )}
      </div>
    </Form>
  );
}

function control(field: SettingField, form: SettingForm) {
  const { name, label, description } = field;
  const props = { label, description, ...form.text(name) };
  switch (field.kind) {
    case 'choice':
      return <SelectField options={field.options} {...props} />;
    case 'lines':
      return <TextArea spellCheck={false} {...props} />;
    case 'colour':
      return (
        <ColourField
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
