import { TextInput } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { fieldLook, type FieldProps } from './field-look.ts';

/** A field for a colour such as `#0b6653`: typed, or chosen in the browser's own picker at its end. May be empty. */
export function ColourField({
  value,
  pickerLabel,
  onColour,
  required = false,
  disabled = false,
  ...props
}: FieldProps & {
  value: string;
  /** What the picker is for, for screen readers. */
  pickerLabel: string;
  onColour: (colour: string) => void;
} & Omit<ComponentPropsWithRef<'input'>, 'size' | 'style' | 'value' | keyof FieldProps>) {
  const typed = value.trim().toLowerCase();
  const isColour = /^#[\da-f]{6}$/.test(typed);
  return (
    <TextInput
      {...fieldLook}
      {...props}
      value={value}
      required={required}
      disabled={disabled}
      rightSectionWidth={56}
      rightSectionPointerEvents="all"
      rightSection={
        <input
          type="color"
          className={isColour ? 'colour-picker' : 'colour-picker colour-none'}
          aria-label={pickerLabel}
          value={isColour ? typed : '#808080'}
          onChange={(event) => onColour(event.currentTarget.value)}
        />
      }
    />
  );
}
