import { Field, type ControlProps } from './field.tsx';

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
