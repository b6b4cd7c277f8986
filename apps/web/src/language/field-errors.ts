/** What a form says of a failed call. Apart from call-failure.ts, which every page loads. */
import { t } from '@lingui/core/macro';
import { CallFailure, describeFailure } from './call-failure.ts';

/** The sentence and the reference of anything that was thrown, for where the reference has no place of its own. */
export function fieldMessageOf(error: unknown): string {
  const { message, reference } = describeFailure(error);
  return reference ? t`${message} Reference ${reference}.` : message;
}

/** What a form shows of a failed call: the sentence of each field, or one for all of them. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (error instanceof CallFailure && Object.keys(error.fields).length > 0) return error.fields;
  return { form: fieldMessageOf(error) };
}
