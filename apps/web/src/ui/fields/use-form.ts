/** State of a form: values, errors, and a submit that focuses the first invalid field. */
import { t } from '@lingui/core/macro';
import { useEffect, useEffectEvent, useId, useState, type ChangeEvent, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { formatDay } from '../../language/formats.ts';
import { toFormErrors } from '../../language/field-errors.ts';
import { readDraft, writeDraft } from './drafts.ts';
import { useBusy } from '../use-busy.ts';
import { useWindowEvent } from '../events/use-window-event.ts';

/** Error sentence by field name. */
export type FieldErrors = Readonly<Record<string, string>>;

type FormOptions<Values extends object> = {
  initial: Values;
  /** Checks the values in the browser on submit. Not for rules that the server checks. */
  validate?: (values: Values) => FieldErrors;
  /** Returns errors by field name. Thrown errors are converted to field errors or a form error. */
  onSubmit: (values: Values) => Promise<FieldErrors | void>;
  /** Key under which values survive a sign-in redirect in this tab (C8). Not for secrets. */
  draft?: string;
  /** Also stores the draft when the form is unmounted. For forms without Cancel. */
  outlives?: true;
};

export type FormState<Values extends object> = {
  readonly id: string;
  readonly values: Values;
  readonly errors: FieldErrors;
  readonly busy: boolean;
  /** `value` may be a function of the current values. */
  set: <Name extends keyof Values>(
    name: Name,
    value: Values[Name] | ((previous: Values) => Values[Name]),
  ) => void;
  /** Props of a text field, text area or select: `<TextField label="…" {...form.text('email')} />`. */
  text: (name: Extract<keyof Values, string>) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => void;
  };
  /** Props of a number field: `<NumberField label="…" {...form.number('hours')} />`. */
  number: (name: Extract<keyof Values, string>) => {
    name: string;
    value: number | null;
    error: string | undefined;
    onChange: (value: number | null) => void;
  };
  submit: (event: SubmitEvent<HTMLFormElement>) => void;
};

export function useForm<Values extends object>(options: FormOptions<Values>): FormState<Values> {
  const id = useId();
  const [values, setValues] = useState<Values>(() => ({ ...options.initial, ...loadDraft(options.draft) }));
  const [errors, setErrors] = useState<FieldErrors>({});

  const set: FormState<Values>['set'] = (name, value) => {
    const next = (previous: Values) =>
      typeof value === 'function' ? (value as (previous: Values) => unknown)(previous) : value;
    setValues((previous) => ({ ...previous, [name]: next(previous) }));
    setErrors((previous) => Object.fromEntries(Object.entries(previous).filter(([field]) => field !== name)));
  };

  const showErrors = (foundErrors: FieldErrors) => {
    // Render the errors first, so that the first invalid field can be found.
    flushSync(() => setErrors(foundErrors));
    const form = document.getElementById(id);
    (form?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? form)?.focus();
  };

  const [submit, busy] = useBusy(async () => {
    const foundErrors = { ...inputProblems(id), ...options.validate?.(values) };
    if (Object.keys(foundErrors).length > 0) return showErrors(foundErrors);
    const submitErrors = (await options.onSubmit(values).catch(toFormErrors)) ?? {};
    if (Object.keys(submitErrors).length > 0) showErrors(submitErrors);
    else setErrors({});
  });

  const saveDraft = () => {
    if (options.draft && JSON.stringify(values) !== JSON.stringify(options.initial))
      writeDraft(options.draft, values);
  };
  const onGone = useEffectEvent(() => {
    if (options.outlives) saveDraft();
  });
  useWindowEvent('pagehide', saveDraft);
  useEffect(() => () => onGone(), []);

  return {
    id,
    values,
    errors,
    busy,
    set,
    text: (name) => ({
      name,
      value: String(values[name] ?? ''),
      error: errors[name],
      onChange: (event) => set(name, event.currentTarget.value as Values[typeof name]),
    }),
    number: (name) => ({
      name,
      value: values[name] as number | null,
      error: errors[name],
      onChange: (value) => set(name, value as Values[typeof name]),
    }),
    submit: (event) => {
      event.preventDefault();
      submit();
    },
  };
}

/** Returns and deletes a draft. */
function loadDraft(name: string | undefined): object {
  if (!name) return {};
  const draft = readDraft(name);
  writeDraft(name, null);
  return typeof draft === 'object' && draft !== null ? draft : {};
}

/** Returns the problems of number and date fields without a value, by field name: incomplete, unreadable, or outside of the limits. */
function inputProblems(formId: string): Record<string, string> {
  const form = document.getElementById(formId);
  if (!(form instanceof HTMLFormElement)) return {};
  return Object.fromEntries(
    [...form.elements].flatMap((element) => {
      if (!(element instanceof HTMLInputElement)) return [];
      const problem = element.type === 'date' ? dateProblem(element) : element.validity.customError;
      return problem ? [[element.name, problem === true ? element.validationMessage : problem]] : [];
    }),
  );
}

function dateProblem({ validity, min, max }: HTMLInputElement): string | undefined {
  // An incomplete date has no value, so it would be sent as an empty one.
  if (validity.badInput) return t`Enter a complete date.`;
  if (!validity.rangeUnderflow && !validity.rangeOverflow) return undefined;
  const [first, last] = [min && formatDay(min), max && formatDay(max)];
  if (validity.rangeUnderflow) return t`Enter ${first} or a later date.`;
  return t`Enter ${last} or an earlier date.`;
}
