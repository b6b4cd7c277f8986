import { TextInput } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { fieldLook, type FieldProps } from './field-look.ts';

/** A one-line text field with its label, note and error; takes the attributes of `<input>`. */
export function TextField({
  required = false,
  disabled = false,
  ...props
}: FieldProps & Omit<ComponentPropsWithRef<'input'>, 'size' | 'style' | keyof FieldProps>) {
  return <TextInput {...fieldLook} {...props} required={required} disabled={disabled} />;
}
