/**
 * The state of one form: values, errors, a submit that runs once at a time and leads to the first field that is wrong.
 * Not for server-side rules: those come back as field errors from `onSubmit`.
 */
import { useEffect, useEffectEvent, useId, useState, type ChangeEvent, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { toFormErrors } from '../../language/field-errors.ts';
import { useBusy } from '../use-busy.ts';
import { useWindowEvent } from '../events/use-window-event.ts';

/** Field name → a sentence that says what to change. */
export type FieldErrors = Readonly<Record<string, string>>;

/** What `useForm` takes. */
type FormOptions<Values extends object> = {
  initial: Values;
  /** Errors the browser can find itself, checked on submit; keep the server's rules on the server. */
  validate?: (values: Values) => FieldErrors;
  /** Answers what is wrong with fields, if anything; what it throws is told as the server says it of each field, or of all. */
  onSubmit: (values: Values) => Promise<FieldErrors | void>;
  /** A name under which typed values survive a sign-in redirect in this tab (C8). Never for secrets. */
  draft?: string;
  /** They also survive that the form goes from the screen: for forms that nobody cancels. */
  outlives?: true;
};

/** What `Form` and `SubmitButton` need, and what fields are spread from. */
export type FormState<Values extends object> = {
  readonly id: string;
  readonly values: Values;
  readonly errors: FieldErrors;
  readonly busy: boolean;
  /** The value may follow from what the values are by then. */
  set: <Name extends keyof Values>(
    name: Name,
    value: Values[Name] | ((before: Values) => Values[Name]),
  ) => void;
  /** Attributes of a text field, text area or select: `<TextField label="…" {...form.text('email')} />`. */
  text: (name: Extract<keyof Values, string>) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => void;
  };
  submit: (event: SubmitEvent<HTMLFormElement>) => void;
};

/** Keeps a form's values and errors; see `Form`. */
export function useForm<Values extends object>(options: FormOptions<Values>): FormState<Values> {
  const id = useId();
  const [values, setValues] = useState<Values>(() => ({ ...options.initial, ...takeDraft(options.draft) }));
  const [errors, setErrors] = useState<FieldErrors>({});

  const set: FormState<Values>['set'] = (name, value) => {
    const next = (before: Values) =>
      typeof value === 'function' ? (value as (before: Values) => unknown)(before) : value;
    setValues((before) => ({ ...before, [name]: next(before) }));
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => field !== name)));
  };

  const refuse = (found: FieldErrors) => {
    // The errors must be on the screen before the first field that has one can be found and get the focus.
    flushSync(() => setErrors(found));
    const form = document.getElementById(id);
    (form?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? form)?.focus();
  };

  const [submit, busy] = useBusy(async () => {
    const found = options.validate?.(values) ?? {};
    if (Object.keys(found).length > 0) return refuse(found);
    const answer = (await options.onSubmit(values).catch(toFormErrors)) ?? {};
    if (Object.keys(answer).length > 0) refuse(answer);
    else setErrors({});
  });

  const keepDraft = () => {
    const text = JSON.stringify(values);
    if (!options.draft || text === JSON.stringify(options.initial)) return;
    const key = `draft:${options.draft}`;
    ifStored(() => sessionStorage.setItem(key, text), undefined);
  };
  const onGone = useEffectEvent(() => {
    if (options.outlives) keepDraft();
  });
  useWindowEvent('pagehide', keepDraft);
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
    submit: (event) => {
      event.preventDefault();
      submit();
    },
  };
}

/** Whether something waits under the name of a draft for its form. */
export function hasDraft(name: string): boolean {
  return ifStored(() => sessionStorage.getItem(`draft:${name}`) !== null, false);
}

/** Takes a draft away, unless it is another one by now; whether it did. */
export function dropDraft(name: string, draft: object): boolean {
  return ifStored(() => {
    const isThis = sessionStorage.getItem(`draft:${name}`) === JSON.stringify(draft);
    if (isThis) sessionStorage.removeItem(`draft:${name}`);
    return isThis;
  }, false);
}

/** A draft is used once: what the person does with it afterwards is theirs. */
function takeDraft(name: string | undefined): object {
  if (!name) return {};
  return ifStored(() => {
    const kept: unknown = JSON.parse(sessionStorage.getItem(`draft:${name}`) ?? '{}');
    sessionStorage.removeItem(`draft:${name}`);
    return typeof kept === 'object' && kept !== null ? kept : {};
  }, {});
}

/** The browser's storage may be full or forbidden, or hold something else: then there are no drafts. */
function ifStored<Answer>(use: () => Answer, otherwise: Answer): Answer {
  try {
    return use();
  } catch {
    return otherwise;
  }
}
