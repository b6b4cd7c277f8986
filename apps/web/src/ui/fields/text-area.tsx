import { Field, type ControlProps } from './field.tsx';

/**
 * A text field of several lines that grows with its text up to 12 lines, where the browser can (`field-sizing`); elsewhere
 * it is pulled larger by its corner. Takes the attributes of `<textarea>`.
 */
export function TextArea({ label, description, error, rows = 3, ...props }: ControlProps<'textarea'>) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => (
        <textarea {...props} {...control} rows={rows} style={{ minHeight: `calc(${rows}lh + 1rem + 2px)` }} />
      )}
    </Field>
  );
}
