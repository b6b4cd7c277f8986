import { NativeSelect } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { fieldLook, type FieldProps } from './field-look.ts';

/** One of a few choices. The system's own list: complete by keyboard, right on phones and inside dialogs. */
export function SelectField({
  options,
  required = false,
  disabled = false,
  ...props
}: FieldProps & {
  options: readonly { value: string; label: string }[];
} & Omit<ComponentPropsWithRef<'select'>, 'size' | 'style' | keyof FieldProps | 'children'>) {
  return (
    <NativeSelect {...fieldLook} data={[...options]} {...props} required={required} disabled={disabled} />
  );
}
