import { useId, type ComponentPropsWithRef, type ReactNode } from 'react';
import './fields.css';

/** Props of all fields. Labels of optional fields must say that they are optional. */
type FieldProps = {
  label: string;
  description?: ReactNode;
  /** Sentence that says what to change; marks the field as invalid. */
  error?: ReactNode;
  required?: boolean | undefined;
  disabled?: boolean | undefined;
};

export type ControlProps<Tag extends 'input' | 'select' | 'textarea'> = FieldProps &
  Omit<ComponentPropsWithRef<Tag>, 'className' | 'style' | 'children' | keyof FieldProps>;

/** Attributes that connect an element with its label, description and error. */
type ControlAttributes = {
  id: string;
  className: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

/** Label, description and error of one control, which `children` renders. */
export function Field({
  id: givenId,
  label,
  description,
  error,
  children,
}: Pick<FieldProps, 'label' | 'description' | 'error'> & {
  id?: string | undefined;
  children: (control: ControlAttributes) => ReactNode;
}) {
  const generatedId = useId();
  const id = givenId ?? generatedId;
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  const describedBy = [error && errorId, description && noteId].filter(Boolean).join(' ');
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
        'aria-describedby': describedBy || undefined,
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
