import { Field, type ControlProps } from './field.tsx';

export function TextField({ label, description, error, ...props }: ControlProps<'input'>) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => <input {...props} {...control} />}
    </Field>
  );
}
