import { useId, type ComponentPropsWithRef, type ReactNode } from 'react';
import './fields.css';

/** What every field of a form takes. Optional fields say so in their label. */
type FieldProps = {
  label: string;
  /** A sentence under the label. */
  description?: ReactNode;
  /** A sentence that says what to change; marks the field as invalid. */
  error?: ReactNode;
  required?: boolean | undefined;
  disabled?: boolean | undefined;
};

/** What a field takes that is a control of this kind: also the attributes of its element. */
export type ControlProps<Tag extends 'input' | 'select' | 'textarea'> = FieldProps &
  Omit<ComponentPropsWithRef<Tag>, 'className' | 'style' | 'children' | keyof FieldProps>;

/** What ties an element to its label, note and error. */
type ControlAttributes = {
  id: string;
  className: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

/** Label, note and error around one control, which `children` renders with the attributes given. */
export function Field({
  id: wanted,
  label,
  description,
  error,
  children,
}: Pick<FieldProps, 'label' | 'description' | 'error'> & {
  id?: string | undefined;
  children: (control: ControlAttributes) => ReactNode;
}) {
  const made = useId();
  const id = wanted ?? made;
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  const said = [error && errorId, description && noteId].filter(Boolean).join(' ');
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
        'aria-describedby': said || undefined,
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
