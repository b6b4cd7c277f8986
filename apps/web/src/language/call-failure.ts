import { t } from '@lingui/core/macro';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import { formatMoment } from './moment.ts';
import { formatMessage } from './format-message.ts';

/** A failed call: the error from the server, or status 0 if the server could not be reached. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly code: string;
  /** Reference to the server's log; empty if the server was not reached. */
  readonly requestId: string;
  readonly fields: Record<string, string>;
  readonly status: number;
  /** Earliest time of a retry, from Retry-After. */
  readonly retryAt: Date | undefined;

  constructor(response: ErrorResponse, status: number, cause?: unknown, retryAt?: Date) {
    super(formatMessage(response), { cause });
    this.code = response.code;
    this.requestId = response.requestId;
    this.fields = Object.fromEntries(
      Object.entries(response.fields ?? {}).map(([name, english]) => {
        const text = response.fieldTexts?.[name];
        return [name, text ? formatMessage(text) : english];
      }),
    );
    this.status = status;
    this.retryAt = retryAt;
  }
}

/** Returns the message and reference to show for any thrown value. */
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
    message: t`Something went wrong on this page. Check your connection and reload it. If the problem persists, tell support what you did.`,
  };
}
