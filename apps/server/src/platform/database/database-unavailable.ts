const systemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const readOnlyTransaction = '25006';
const sqlStates = new Set([
  '25P03', // idle in transaction for too long
  '53100', // the disk is full
  '53200', // out of memory
  '53300', // too many connections
  '57014', // the statement took too long
  '57P01', // the server is shutting down
  '57P02', // the server crashed
  '57P03', // the server is starting or stopping
]);
const connectionExceptionClass = '08';

// The driver sets no code on these errors.
const driverMessages = [
  /^Query read timeout$/,
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Connection terminated/,
  /^Client (has encountered a connection error|was closed) and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
];

/** No configured server has the needed role, or a server lost it: a standby instead of the primary, or the reverse. */
export class UnsuitableServerError extends Error {}

/** The database accepts no new connections, for example after its password was changed. The message says what to correct. */
export class ConnectionRefusedError extends Error {}

/** Returns whether the server became unsuitable, so that every connection to it has to be closed. */
export const isServerUnsuitable = (error: unknown): boolean =>
  error instanceof UnsuitableServerError ||
  (error instanceof Error && 'code' in error && error.code === readOnlyTransaction);

/** Returns whether the database is starting or failing over, so that a later attempt may succeed. */
export function isDatabaseStarting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    isServerUnsuitable(error) ||
    // A proxy without a primary, such as HAProxy, accepts a connection and closes it.
    /^(?:57P0[123]|ECONNRESET)$/.test(code) ||
    error.message.startsWith('Connection terminated')
  );
}

/** Returns an error's text for use in a message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's AggregateError, for a host name with several addresses, has a code but no message.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/**
 * Returns whether the database is unreachable or too slow, as opposed to an error in a statement. The response is 503.
 * Whether a change was committed is unknown.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isServerUnsuitable(error) || error instanceof ConnectionRefusedError) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (systemErrors.has(code) || sqlStates.has(code) || code.startsWith(connectionExceptionClass)) return true;
  return driverMessages.some((message) => message.test(error.message));
}
