/**
 * Why the server cannot start, for the person who started it. The message is all that is printed: what is
 * wrong and what to do, in plain sentences and without a stack trace. The cause goes along for the log.
 */
export class StartUpError extends Error {
  override name = 'StartUpError';
}
