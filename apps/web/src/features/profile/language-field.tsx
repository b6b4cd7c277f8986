/** Profile, the language: of the screens at once, and of mails from now on. */
import { useLingui } from '@lingui/react/macro';
import type { Preferences } from '@vestibule/contract/me';
import { useState } from 'react';
import { chooseLanguage, languageName, languages, readLanguageChoice } from '../../language/language.ts';
import { SelectField } from '../../ui/select-field.tsx';
import { toast } from '../../ui/toast.tsx';

export function LanguageField({ onChange }: { onChange: (language: Preferences['language']) => void }) {
  const { t } = useLingui();
  const [choice, setChoice] = useState(readLanguageChoice);
  const choose = async (language: string | null) => {
    try {
      await chooseLanguage(language);
      setChoice(language);
      onChange(language as Preferences['language']);
    } catch {
      toast.failure(t`The language could not be loaded. Check your connection and try again.`);
    }
  };
  return (
    <SelectField
      label={t`Language`}
      description={t`Of all screens, and of the mails you get.`}
      value={choice ?? ''}
      options={[
        { value: '', label: t`As my browser asks` },
        ...languages.map((language) => ({ value: language, label: languageName(language) })),
      ]}
      onChange={(event) => void choose(event.currentTarget.value || null)}
    />
  );
}
