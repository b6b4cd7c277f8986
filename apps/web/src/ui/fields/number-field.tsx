import { t } from '@lingui/core/macro';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { regionalLocale } from '../../language/moment.ts';
import { Field, type ControlProps } from './field.tsx';

type NumberFieldProps = Omit<
  ControlProps<'input'>,
  'type' | 'role' | 'value' | 'onChange' | 'min' | 'max' | 'step' | 'ref'
> & {
  /** Null for an empty field, NaN for a text that is not a number. */
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number | undefined;
  max?: number | undefined;
  /** Numbers are multiples of it, from `min` or 0. Default: 1, whole numbers. `any`: no check; the arrow keys add 1. */
  step?: number | 'any' | undefined;
};

type Limits = Pick<NumberFieldProps, 'min' | 'max' | 'step'>;

/**
 * Number in the notation of the browser's region. The arrow keys change it by `step`. `useForm` checks the limits. A text field, because a
 * native number field returns no text that the browser cannot read, such as "1,5" in English, and changes when the page is scrolled.
 */
export function NumberField({
  label,
  description,
  error,
  value,
  onChange,
  min,
  max,
  step = 1,
  ...props
}: NumberFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(() => formatForEditing(value));
  const text = Object.is(parseNumber(typed), value) ? typed : formatForEditing(value);
  const problem = numberProblem(value, { min, max, step });
  useLayoutEffect(() => input.current?.setCustomValidity(problem));

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    props.onKeyDown?.(event);
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined || Number.isNaN(value) || props.readOnly || event.altKey) return;
    event.preventDefault();
    const next = nextNumber(value, direction, { min, max, step });
    setTyped(formatForEditing(next));
    onChange(next);
  };
  return (
    <Field id={props.id} label={label} description={description} error={error}>
      {(control) => (
        <input
          autoComplete="off"
          // Numeric keypads of phones have no minus sign.
          inputMode={min === undefined || min < 0 ? 'text' : step === 1 ? 'numeric' : 'decimal'}
          {...props}
          {...control}
          ref={input}
          type="text"
          role="spinbutton"
          aria-valuemin={min}
          aria-valuemax={max}
          aria-valuenow={value === null || Number.isNaN(value) ? undefined : value}
          aria-valuetext={text || undefined}
          value={text}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onChange(parseNumber(currentTarget.value));
          }}
          onBlur={(event) => {
            props.onBlur?.(event);
            // Shows how the number was read.
            if (value !== null && !Number.isNaN(value)) setTyped(formatForEditing(value));
          }}
          onKeyDown={onKeyDown}
        />
      )}
    </Field>
  );
}

/** Returns the sentence about a number; empty if the field accepts it. */
function numberProblem(value: number | null, { min, max, step = 1 }: Limits): string {
  if (value === null) return '';
  if (Number.isNaN(value)) return t`Enter a number.`;
  const [least, most] = [formatNumber(min ?? 0), formatNumber(max ?? 0)];
  if (value < (min ?? value) || value > (max ?? value)) {
    if (max === undefined) return t`Enter a number of at least ${least}.`;
    return min === undefined
      ? t`Enter a number of at most ${most}.`
      : t`Enter a number from ${least} to ${most}.`;
  }
  if (step === 'any' || Number.isInteger(stepsOf(value, min, step))) return '';
  const multiple = formatNumber(step, { maximumFractionDigits: 20 });
  return step === 1 ? t`Enter a whole number.` : t`Enter a number in steps of ${multiple}.`;
}

/** Number of steps from `min` or 0, without the error of binary fractions: (0.3 - 0) / 0.1 is 3. */
const stepsOf = (value: number, min: number | undefined, step: number) =>
  rounded((value - (min ?? 0)) / step);

const rounded = (value: number) => Number(value.toPrecision(15));

/** Returns the next multiple of `step` in a direction, within the limits. */
function nextNumber(value: number | null, direction: number, { min, max, step = 1 }: Limits): number {
  const size = step === 'any' ? 1 : step;
  const start = value ?? 0;
  const steps = stepsOf(start, min, size);
  const next =
    step === 'any'
      ? start + direction
      : ((direction > 0 ? Math.floor(steps) : Math.ceil(steps)) + direction) * size + (min ?? 0);
  return rounded(Math.min(Math.max(next, min ?? next), max ?? next));
}

/** Returns null for an empty text, and NaN for a text that is not a number. */
export function parseNumber(text: string, locale = regionalLocale()): number | null {
  const typed = text.trim().replace('−', '-');
  if (typed === '') return null;
  const decimal = new Intl.NumberFormat(locale).format(1.5).includes(',') ? ',' : '.';
  const group = decimal === ',' ? '.' : ',';
  // Digits in groups of three, separated as in the region or by spaces and apostrophes.
  const grouped = new RegExp(`^[-+]?[1-9]\\d{0,2}([${group}\\s'’]\\d{3})+(\\${decimal}\\d+)?$`);
  // Otherwise a comma or a point is the decimal sign, as on the numeric keypad of another language.
  const plain = /^[-+]?(\d+[.,]?\d*|[.,]\d+)$/;
  if (grouped.test(typed))
    return Number(typed.replaceAll(new RegExp(`[${group}\\s'’]`, 'g'), '').replace(',', '.'));
  return plain.test(typed) ? Number(typed.replace(',', '.')) : Number.NaN;
}

/** Formats a number for editing, without separators of thousands. Empty for null and NaN. */
export const formatForEditing = (value: number | null, locale = regionalLocale()): string =>
  value === null || Number.isNaN(value)
    ? ''
    : value.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 20 });
