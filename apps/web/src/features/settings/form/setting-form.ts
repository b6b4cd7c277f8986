/** State of a settings form. Changes are sent with the versions they are based on, to detect concurrent changes. */
import { t } from '@lingui/core/macro';
import { useEffect, useEffectEvent } from 'react';
import { toFormErrors } from '../../../language/field-errors.ts';
import { toast } from '../../../ui/toast/toast.tsx';
import { useForm, type FieldErrors, type FormState } from '../../../ui/fields/use-form.ts';
import type { AreaId } from '../sections.ts';
import { draftKey, useReportUnsaved } from '../unsaved-sections.ts';

/** Text and version of each setting on the server, by name. */
export type SavedTexts = Readonly<Record<string, { text: string; version: number }>>;

/** Texts of the fields, and the saved texts on which they are based. */
type SettingTexts = Record<string, string | SavedTexts>;

const basisKey = '#saved';
const basisOf = (values: SettingTexts) => values[basisKey] as SavedTexts;
const textOf = (values: SettingTexts, name: string) => values[name] as string;

const initialTexts = (saved: SavedTexts): SettingTexts => ({
  ...Object.fromEntries(Object.entries(saved).map(([name, { text }]) => [name, text])),
  [basisKey]: saved,
});

export type SettingForm = FormState<SettingTexts> & { isChanged: boolean; discard: () => void };

export function useSettingForm({
  area,
  saved,
  problemOf,
  save,
  onFailure,
}: {
  area: AreaId;
  saved: SavedTexts;
  /** Returns why a text is not valid. */
  problemOf: (name: string, text: string) => string | undefined;
  /** Saves texts with the versions they are based on. Returns all saved texts. */
  save: (changes: SavedTexts) => Promise<SavedTexts>;
  /** Returns the current texts and the errors to show if another administrator has changed the settings. Otherwise returns null. */
  onFailure: (
    error: unknown,
    changed: readonly string[],
  ) => Promise<{ saved: SavedTexts | undefined; errors: FieldErrors } | null>;
}): SettingForm {
  const names = Object.keys(saved);
  const changedIn = (values: SettingTexts) =>
    names.filter((name) => textOf(values, name).trim() !== basisOf(values)[name]?.text);

  /**
   * Updates the form to the texts `current`, except for `typed` fields. Those keep the version they are based on, unless the setting has
   * not changed or they are in `acknowledged`.
   */
  const adopt = (current: SavedTexts, typed: readonly string[], acknowledged: readonly string[] = []) => {
    const basis = basisOf(form.values);
    const next = names.map((name) => {
      const isOutdated =
        typed.includes(name) && !acknowledged.includes(name) && basis[name]?.text !== current[name]?.text;
      return [name, isOutdated ? basis[name] : current[name]];
    });
    for (const name of names) if (!typed.includes(name)) form.set(name, current[name]?.text ?? '');
    form.set(basisKey, Object.fromEntries(next) as SavedTexts);
  };
  // The focused button is unmounted, so the form takes the focus.
  const focusForm = () => document.getElementById(form.id)?.focus({ preventScroll: true });

  const form = useForm<SettingTexts>({
    initial: initialTexts(saved),
    draft: draftKey(area),
    outlives: true,
    validate: (values) =>
      Object.fromEntries(
        changedIn(values).flatMap((name) => {
          const problem = problemOf(name, textOf(values, name));
          return problem === undefined ? [] : [[name, problem]];
        }),
      ),
    async onSubmit(values) {
      const changed = changedIn(values);
      // Enter was pressed without a change.
      if (changed.length === 0) return undefined;
      const changes = changed.map((name) => {
        const version = basisOf(values)[name]?.version ?? 0;
        return [name, { text: textOf(values, name), version }] as const;
      });
      try {
        const current = await save(Object.fromEntries(changes));
        const typed = typedSince(values);
        adopt(current, typed, changed);
        toast.success(t`Saved.`);
        if (typed.length === 0) focusForm();
        return undefined;
      } catch (error) {
        const conflict = await onFailure(error, changed);
        if (!conflict) return toFieldErrors(error);
        // The user has seen the conflict, so the next attempt overwrites.
        if (conflict.saved) adopt(conflict.saved, [...changed, ...typedSince(values)], changed);
        return conflict.errors;
      }
    },
  });
  /** Returns the fields that the user changed after the submission of `sent`; fields stay editable meanwhile. */
  const typedSince = useEffectEvent((sent: SettingTexts) =>
    names.filter((name) => form.values[name] !== sent[name]),
  );

  const state = JSON.stringify(saved);
  useEffect(() => {
    if (JSON.stringify(basisOf(form.values)) === state) return;
    const { values } = form;
    // Text that equals the saved value is no longer a change.
    adopt(
      saved,
      changedIn(values).filter((name) => textOf(values, name).trim() !== saved[name]?.text),
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only changes of the saved settings run this, not typing
  }, [state]);

  const isChanged = changedIn(form.values).length > 0;
  useReportUnsaved(area, isChanged);
  const discard = () => {
    adopt(saved, []);
    focusForm();
  };
  return { ...form, isChanged, discard };
}

/** Converts the errors of a call. An error of a list item becomes an error of the list's field. */
const toFieldErrors = (error: unknown): FieldErrors =>
  Object.fromEntries(
    Object.entries(toFormErrors(error)).map(([name, text]) => [
      name.replace(/^values\./, '').split('.')[0] ?? name,
      text,
    ]),
  );
