import { Field, type ControlProps } from './field.tsx';

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
