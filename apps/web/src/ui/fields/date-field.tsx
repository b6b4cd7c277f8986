import { Field, type ControlProps } from './field.tsx';

type DateFieldProps = Omit<ControlProps<'input'>, 'type' | 'value' | 'min' | 'max' | 'step'> & {
  /** A day such as `2026-12-31`. Empty for no day. */
  value: string;
  /** First and last possible day, such as `2026-12-31`. */
  min?: string | undefined;
  max?: string | undefined;
};

/** Native date field: the browser shows the day in the order of its region, and has a calendar. `useForm` checks the limits. */
export function DateField({ label, description, error, max = '9999-12-31', ...props }: DateFieldProps) {
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => <input {...props} {...control} type="date" max={max} />}
    </Field>
  );
}
