/**
 * Error that prevents a start. Only its message is printed, without a stack trace: it names the problem and the fix.
 * The cause is logged.
 */
export class StartUpError extends Error {
  override name = 'StartUpError';
}
