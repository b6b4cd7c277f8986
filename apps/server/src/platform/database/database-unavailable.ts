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
const sqlStates = new Set([
  '25P03', // idle in transaction for too long
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
  /^Connection terminated/,
  /^Client (has encountered a connection error|was closed) and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
];

/**
 * Returns whether the database is unreachable or too slow, as opposed to an error in a statement. The response is 503.
 * Whether a change was committed is unknown.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (systemErrors.has(code) || sqlStates.has(code) || code.startsWith(connectionExceptionClass)) return true;
  return driverMessages.some((message) => message.test(error.message));
}
