import { Textarea } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { fieldLook, type FieldProps } from './field-look.ts';

/** A text field of several lines that grows with its text up to 12 lines; takes the attributes of `<textarea>`. */
export function TextArea({
  rows = 3,
  required = false,
  disabled = false,
  ...props
}: FieldProps & Omit<ComponentPropsWithRef<'textarea'>, 'size' | 'style' | keyof FieldProps>) {
  return (
    <Textarea
      {...fieldLook}
      autosize
      minRows={rows}
      maxRows={12}
      {...props}
      required={required}
      disabled={disabled}
    />
  );
}
