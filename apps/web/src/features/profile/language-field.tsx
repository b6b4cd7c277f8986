/** Language of screens and mails, in the profile. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { useEffect, useRef, useState } from 'react';
import { languageName } from '../../language/language-name.ts';
import { languages, readLanguageChoice } from '../../language/language.ts';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { switchLanguage } from '../../ui/switch-language.ts';

/** Whether the user is changing the language. The change remounts the screen, and the new field then takes the focus. */
let isChoosing = false;

export function LanguageField() {
  const [choice, setChoice] = useState(readLanguageChoice);
  const field = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (isChoosing) field.current?.focus();
    isChoosing = false;
  }, []);
  const choose = async (language: string | null) => {
    const before = i18n.locale;
    isChoosing = true;
    await switchLanguage(language);
    if (i18n.locale === before) isChoosing = false;
    setChoice(readLanguageChoice());
  };
  return (
    <SelectField
      ref={field}
      label={t`Language`}
      description={t`For all screens and the e-mails you get.`}
      value={choice ?? ''}
      options={[
        { value: '', label: t`Browser default` },
        ...languages.map((language) => ({ value: language, label: languageName(language) })),
      ]}
      onChange={(event) => void choose(event.currentTarget.value || null)}
    />
  );
}
