/** The one way to answer with an error: `throw fail(invitationErrors.notFound)`. */
import type { ErrorDefinition } from '@vestibule/contract/route';

/** An error that a contract defines. The HTTP layer turns it into the answer `{ code, message, requestId, fields? }`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly definition: ErrorDefinition;
  readonly fields: Record<string, string> | undefined;
  /** Seconds after which the caller may try again (header Retry-After, RFC 9110 section 10.2.3). */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    definition: ErrorDefinition,
    options: { fields?: Record<string, string>; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(definition.code, { cause: options.cause });
    this.definition = definition;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Makes the error to throw for a definition of the contract. */
export function fail(
  definition: ErrorDefinition,
  options?: { fields?: Record<string, string>; retryAfterSeconds?: number; cause?: unknown },
): Failure {
  return new Failure(definition, options);
}
