import type { ComponentPropsWithRef } from 'react';
import { Field, type FieldProps } from './field.tsx';

/** A one-line text field with its label, note and error; takes the attributes of `<input>`. */
export function TextField({
  label,
  description,
  error,
  ...props
}: FieldProps & Omit<ComponentPropsWithRef<'input'>, 'className' | 'style' | keyof FieldProps>) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => <input {...props} {...control} />}
    </Field>
  );
}
