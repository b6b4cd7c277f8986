import { Button } from '../../ui/button.tsx';
import { SubmitButton } from '../../ui/form.tsx';
import type { SettingForm } from './setting-form.ts';

/** The buttons under the fields of a section. */
export function SectionFoot({ form }: { form: SettingForm }) {
  return (
    <div className="settings-foot">
      <SubmitButton form={form}>Save</SubmitButton>
      {form.isChanged && <Button onClick={form.discard}>Discard changes</Button>}
    </div>
  );
}
