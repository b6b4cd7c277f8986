import { Field, type ControlProps } from './field.tsx';

/** A field for a colour such as `#0b6653`: typed, or chosen in the browser's own picker at its end. May be empty. */
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
  /** What the picker is for, for screen readers. */
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
