/**
 * Logs an outage of the database: a line at its start and at its end, and a reminder each minute. Meanwhile timers, requests and the mail
 * queue fail with the same error several times a second; those lines are dropped.
 */
import type { LogFn, Logger } from 'pino';
import { poolTimeoutMessage } from '../platform/database/connection-share.ts';
import { describeError } from '../platform/database/database-unavailable.ts';

export type OutageLog = ReturnType<typeof createOutageLog>;
type CodedError = { message: string; code?: unknown };

const reminderMs = 60_000;

export function createOutageLog(now: () => number, isClosing = () => false) {
  let outage: { startedAt: number; reportedAt: number; errors: Map<string, CodedError> } | null = null;
  let brokenAt = -Infinity;

  function isCausedByOutage(details: unknown): boolean {
    const error = (details as { err?: CodedError } | null)?.err;
    if (!outage || error === undefined) return false;
    // The mail queue logs copies, with a suffix.
    return [...outage.errors.values()].some(
      ({ code, message }) => error.code === code && error.message.startsWith(message),
    );
  }

  return {
    /** Option of pino; child loggers have it too. */
    hooks: {
      logMethod(this: Logger, parameters: Parameters<LogFn>, method: LogFn): void {
        if (!isCausedByOutage(parameters[0])) method.apply(this, parameters);
      },
    },
    /** Options of the database pool. */
    watch: (logger: Pick<Logger, 'error' | 'warn'>) => ({
      onConnectionError(error: Error): void {
        // A stop of the database breaks all connections at once. The embedded one stops with this process.
        if (outage || isClosing() || now() < brokenAt + reminderMs) return;
        brokenAt = now();
        logger.warn(`a database connection broke: ${describeError(error)}`);
      },
      onConnectFailure(error: CodedError): void {
        // Otherwise all connections are in use.
        if (!outage && error.message === poolTimeoutMessage) return;
        outage ??= { startedAt: now(), reportedAt: -Infinity, errors: new Map() };
        outage.errors.set(error.message, error);
        if (now() < outage.reportedAt + reminderMs) return;
        const since = outage.reportedAt < 0 ? '' : ` since ${new Date(outage.startedAt).toISOString()}`;
        outage.reportedAt = now();
        logger.error(`the database is unavailable${since}: ${describeError(error)}`);
      },
      onConnect(): void {
        if (!outage) return;
        const seconds = Math.ceil((now() - outage.startedAt) / 1_000);
        outage = null;
        logger.warn(`the database is available again after ${seconds} s`);
      },
    }),
  };
}
