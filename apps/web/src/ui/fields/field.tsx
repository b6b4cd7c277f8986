import { useId, type ComponentPropsWithRef, type ReactNode } from 'react';
import './fields.css';

/** Props of all fields. Labels of optional fields must say that they are optional. */
type FieldProps = {
  label: string;
  description?: ReactNode;
  /** Sentence that says what to change; marks the field as invalid. */
  error?: ReactNode;
  required?: boolean | undefined;
  disabled?: boolean | undefined;
};

export type ControlProps<Tag extends 'input' | 'select' | 'textarea'> = FieldProps &
  Omit<ComponentPropsWithRef<Tag>, 'className' | 'style' | 'children' | keyof FieldProps>;

/** Attributes that connect an element with its label, description and error. */
type ControlAttributes = {
  id: string;
  className: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

/** Label, description and error of one control, which `children` renders. */
export function Field({
  id: givenId,
  label,
  description,
  error,
  children,
}: Pick<FieldProps, 'label' | 'description' | 'error'> & {
  id?: string | undefined;
  children: (control: ControlAttributes) => ReactNode;
}) {
  const generatedId = useId();
  const id = givenId ?? generatedId;
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  const describedBy = [error && errorId, description && noteId].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {description && (
        <div className="field-note" id={noteId}>
          {description}
        </div>
      )}
      {children({
        id,
        className: 'field-input',
        'aria-describedby': describedBy || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error && (
        <div className="field-error" id={errorId}>
          {error}
        </div>
      )}
    </div>
  );
}

export function TextField({ label, description, error, ...props }: ControlProps<'input'>) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => <input {...props} {...control} />}
    </Field>
  );
}

/** Multi-line text field. Grows up to 12 lines if the browser supports `field-sizing`. */
export function TextArea({ label, description, error, rows = 3, ...props }: ControlProps<'textarea'>) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => (
        <textarea {...props} {...control} rows={rows} style={{ minHeight: `calc(${rows}lh + 1rem + 2px)` }} />
      )}
    </Field>
  );
}

/** Native select element: fully accessible by keyboard, on phones and in dialogs. */
export function SelectField({
  label,
  description,
  error,
  options,
  ...props
}: ControlProps<'select'> & { options: readonly { value: string; label: string }[] }) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => (
        <span className="field-select">
          <select {...props} {...control}>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="m4.5 6.5 3.5 3.5 3.5-3.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </span>
      )}
    </Field>
  );
}

/** Text field and color picker for a color such as `#0b6653`. May be empty. */
export function ColorField({
  label,
  description,
  error,
  value,
  pickerLabel,
  onColour,
  ...props
}: ControlProps<'input'> & {
  value: string;
  /** Accessible name of the picker. */
  pickerLabel: string;
  onColour: (colour: string) => void;
}) {
  const typed = value.trim().toLowerCase();
  const isColour = /^#[\da-f]{6}$/.test(typed);
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => (
        <span className="field-colour">
          <input {...props} {...control} value={value} />
          <input
            type="color"
            className={isColour ? 'colour-picker' : 'colour-picker colour-none'}
            aria-label={pickerLabel}
            value={isColour ? typed : '#808080'}
            onChange={(event) => onColour(event.currentTarget.value)}
          />
        </span>
      )}
    </Field>
  );
}
