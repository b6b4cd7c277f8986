import { useState } from 'react';
import { DateField } from '../src/ui/fields/date-field.tsx';
import { Form, SubmitButton } from '../src/ui/fields/form.tsx';
import { NumberField } from '../src/ui/fields/number-field.tsx';
import { useForm } from '../src/ui/fields/use-form.ts';

type Values = { hours: number | null; day: string };

/** A form with a number and a date, which shows the values that it submitted. */
export function HoursForm() {
  const [submitted, setSubmitted] = useState('');
  const form = useForm<Values>({
    initial: { hours: 1.5, day: '' },
    validate: ({ hours }): Record<string, string> => (hours === null ? { hours: 'Enter the hours.' } : {}),
    onSubmit: (values) => {
      setSubmitted(JSON.stringify(values));
      return Promise.resolve();
    },
  });
  return (
    <Form form={form}>
      <NumberField
        label="Hours"
        description="In quarters of an hour."
        required
        min={0}
        max={24}
        step={0.25}
        {...form.number('hours')}
      />
      <DateField
        label="Day (optional)"
        description="A day of 2026."
        min="2026-01-01"
        max="2026-12-31"
        {...form.text('day')}
      />
      <div className="gallery-row">
        <SubmitButton form={form}>Record hours</SubmitButton>
        <output>{submitted}</output>
      </div>
    </Form>
  );
}
