import { Field, type ControlProps } from './field.tsx';

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
