/** State of a settings form. Changes are sent with the versions they are based on, to detect concurrent changes. */
import { t } from '@lingui/core/macro';
import { changeSettings, settingsErrors, type Settings } from '@vestibule/contract/settings';
import { settingRules, type SettingName, type SettingsChange } from '@vestibule/contract/settings/rules';
import { useEffect, useEffectEvent } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { toFormErrors } from '../../../language/field-errors.ts';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../ui/toast/toast.tsx';
import { useForm, type FieldErrors, type FormState } from '../../../ui/fields/use-form.ts';
import { firstProblem } from '../../../lib/field-problems.ts';
import type { AreaId } from '../sections.ts';
import { draftKey, clearUnsaved } from '../unsaved-sections.ts';

/** The texts of the fields. `seen` contains, for each field, the server's text and version on which the field's text is based. */
type SettingTexts = Record<SettingName, string> & {
  seen: Partial<Record<SettingName, { text: string; version: number }>>;
};

export type SettingsSection = {
  settings: Settings;
  onSettings: (settings: Settings) => void;
  /** Reloads the settings after another administrator's change. */
  onOvertaken: () => Promise<Settings | undefined>;
};

export type SettingForm = FormState<SettingTexts> & {
  isChanged: boolean;
  discard: () => void;
};

export function useSettingForm(
  { settings, onSettings, onOvertaken }: SettingsSection,
  names: readonly SettingName[],
  area: AreaId,
): SettingForm {
  const read = (source: Settings): SettingTexts => {
    // The type has all names, but only the names of this form are used.
    const texts = Object.fromEntries(names.map((name) => [name, toText(source[name].value)])) as Record<
      SettingName,
      string
    >;
    const seen: SettingTexts['seen'] = Object.fromEntries(
      names.map((name) => [name, { text: texts[name], version: source[name].version }]),
    );
    return { ...texts, seen };
  };
  const changedIn = ({ seen, ...texts }: SettingTexts) =>
    names.filter((name) => texts[name].trim() !== seen[name]?.text);

  /**
   * Updates the form to the settings `current`, except for the texts of `typed` fields. Those keep the version they are based on, unless
   * they are in `acknowledged`.
   */
  const adopt = (
    current: Settings,
    typed: readonly SettingName[],
    acknowledged: readonly SettingName[] = [],
  ) => {
    const { seen, ...texts } = read(current);
    for (const name of names) if (!typed.includes(name)) form.set(name, texts[name]);
    const { seen: previous } = form.values;
    const stillTyped = typed.filter((name) => !acknowledged.includes(name));
    form.set('seen', {
      ...seen,
      ...Object.fromEntries(stillTyped.flatMap((name) => (previous[name] ? [[name, previous[name]]] : []))),
    });
  };

  const form = useForm<SettingTexts>({
    initial: read(settings),
    draft: draftKey(area),
    outlives: true,
    validate: (values) => validate(values, changedIn(values)),
    async onSubmit(values) {
      const changed = changedIn(values);
      // Enter was pressed without a change.
      if (changed.length === 0) return undefined;
      try {
        const saved = await call(changeSettings, { body: changeOf(values, changed) });
        const typed = typedSince(values);
        onSettings(saved);
        adopt(saved, typed, changed);
        clearUnsaved(area, values);
        toast.success(t`Saved.`);
        // The focused button is unmounted, so the form takes the focus.
        if (typed.length === 0) document.getElementById(form.id)?.focus({ preventScroll: true });
        return undefined;
      } catch (error) {
        if (!(error instanceof CallFailure) || error.code !== settingsErrors.changedMeanwhile.code)
          return toFieldErrors(error);
        // The user has seen the conflict, so the next attempt overwrites.
        const current = await onOvertaken();
        if (current) adopt(current, [...changed, ...typedSince(values)], changed);
        return { ...error.fields, form: error.message };
      }
    },
  });
  /** Returns the fields that the user changed after the submission of `sent`; fields stay editable meanwhile. */
  const typedSince = useEffectEvent((sent: SettingTexts) =>
    names.filter((name) => form.values[name] !== sent[name]),
  );

  const state = JSON.stringify(read(settings).seen);
  useEffect(() => {
    if (JSON.stringify(form.values.seen) === state) return;
    const { values } = form;
    // Text that equals the saved value is no longer a change.
    adopt(
      settings,
      changedIn(values).filter((name) => values[name].trim() !== toText(settings[name].value)),
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only changes of the saved settings run this, not typing
  }, [state]);

  return {
    ...form,
    isChanged: changedIn(form.values).length > 0,
    discard: () => adopt(settings, []),
  };
}

function changeOf(values: SettingTexts, changed: readonly SettingName[]): SettingsChange {
  return {
    ...Object.fromEntries(changed.map((name) => [name, toValue(name, values[name])])),
    versions: Object.fromEntries(changed.map((name) => [name, values.seen[name]?.version ?? 0])),
  };
}

function validate(values: SettingTexts, changed: readonly SettingName[]): FieldErrors {
  return Object.fromEntries(
    changed.flatMap((name) => {
      const problem = firstProblem(settingRules[name], toValue(name, values[name]));
      return problem === undefined ? [] : [[name, problem]];
    }),
  );
}

/** Converts the errors of a call. An error of a list item becomes an error of the list's field. */
function toFieldErrors(error: unknown): FieldErrors {
  return Object.fromEntries(
    Object.entries(toFormErrors(error)).map(([name, text]) => [name.split('.')[0] ?? name, text]),
  );
}

export type SettingValue = string | number | boolean | readonly string[];

/** Formats a value for its field; list items are separated by newlines. */
export function toText(value: SettingValue): string {
  return typeof value === 'object' ? value.join('\n') : String(value);
}

/** Parses a field's text; NaN for an invalid number, which the contract rejects. */
export function toValue(name: SettingName, text: string): string | number | boolean | string[] {
  const typed = text.trim();
  if (name === 'allowedDomains')
    return typed
      .split(/[\s,;]+/)
      .map((domain) => domain.replace(/^@/, ''))
      .filter(Boolean);
  if (name === 'signInDomains')
    return typed
      .split(/\n+/)
      .map((line) => line.trim())
      .filter(Boolean);
  switch (settingRules[name].def.type) {
    case 'boolean':
      return typed === 'true';
    case 'number':
      return /^\d{1,9}$/.test(typed) ? Number(typed) : Number.NaN;
    default:
      return typed;
  }
}

export function toInlineText(value: SettingValue): string {
  return typeof value === 'object' ? value.join(', ') || t`none` : String(value) || t`none`;
}
