import { t } from '@lingui/core/macro';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import { formatMoment } from './formats.ts';
import { formatMessage } from './format-message.ts';

/** A call that did not succeed: what the server said, or that it could not be reached (status 0). */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly code: string;
  /** Finds the line in the server's log; empty when the server was not reached. */
  readonly requestId: string;
  readonly fields: Record<string, string>;
  /** HTTP status, 0 without an answer. */
  readonly status: number;
  /** When it may be tried again, where the server says so (Retry-After). */
  readonly retryAt: Date | undefined;

  constructor(answer: ErrorResponse, status: number, cause?: unknown, retryAt?: Date) {
    super(formatMessage(answer), { cause });
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.fields = Object.fromEntries(
      Object.entries(answer.fields ?? {}).map(([name, english]) => {
        const text = answer.fieldTexts?.[name];
        return [name, text ? formatMessage(text) : english];
      }),
    );
    this.status = status;
    this.retryAt = retryAt;
  }
}

/** The sentence and the reference to show for anything that was thrown. */
export function describeFailure(error: unknown): { message: string; reference?: string } {
  if (error instanceof CallFailure) {
    const { retryAt } = error;
    const isToday = retryAt?.toDateString() === new Date().toDateString();
    const wait = retryAt
      ? ` ${t`You can try again at ${formatMoment(retryAt, isToday ? { timeStyle: 'medium' } : undefined)}.`}`
      : '';
    return { message: error.message + wait, ...(error.requestId && { reference: error.requestId }) };
  }
  return {
    message: t`Something went wrong on this page. Reload it. If the problem persists, tell support what you did.`,
  };
}
