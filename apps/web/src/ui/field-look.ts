import '@mantine/core/styles/Input.layer.css';
import type { ReactNode } from 'react';

/** What every field of a form takes. */
export interface FieldProps {
  label: string;
  /** A sentence under the label. */
  description?: ReactNode;
  /** A sentence that says what to change; marks the field as invalid. */
  error?: ReactNode;
  required?: boolean | undefined;
  disabled?: boolean | undefined;
}

/** The classes (kit.css) and order of parts that all fields share. */
export const fieldLook = {
  classNames: {
    input: 'field-input',
    label: 'field-label',
    description: 'field-note',
    error: 'field-error',
  },
  // A star would say "required" to nobody who does not know it; optional fields say so in their label instead.
  withAsterisk: false,
} as const;
