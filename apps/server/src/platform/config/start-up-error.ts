/**
 * Error that prevents the server's start. Only its message is printed, without a stack trace: it names the problem and
 * the fix. The cause is logged.
 */
export class StartUpError extends Error {
  override name = 'StartUpError';
}
