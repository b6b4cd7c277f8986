/** Form errors of failed calls. Separate from call-failure.ts, which every page loads. */
import { t } from '@lingui/core/macro';
import { CallFailure, describeFailure } from './call-failure.ts';

/** Returns the message with the reference appended, for places that show only one string. */
export function messageWithReference(error: unknown): string {
  const { message, reference } = describeFailure(error);
  return reference ? t`${message} Reference ${reference}.` : message;
}

/** Returns the error of each field, or one error for the form. */
export function toFormErrors(error: unknown): Record<string, string> {
  if (error instanceof CallFailure && Object.keys(error.fields).length > 0) return error.fields;
  return { form: messageWithReference(error) };
}
