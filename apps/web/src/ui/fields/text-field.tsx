import { Field, type ControlProps } from './field.tsx';

/** A one-line text field with its label, note and error; takes the attributes of `<input>`. */
export function TextField({ label, description, error, ...props }: ControlProps<'input'>) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => <input {...props} {...control} />}
    </Field>
  );
}
