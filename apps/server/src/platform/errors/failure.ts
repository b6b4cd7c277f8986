/** Errors of the contract: `throw fail(invitationErrors.notFound)`. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import { createMessage, type Message, type ValuesOf } from '@vestibule/contract/texts/text';

type Options = {
  /** Messages by field: a translatable text, or a plain sentence for errors that only programs can cause. */
  fields?: Record<string, Message | string>;
  /** Header Retry-After (RFC 9110 section 10.2.3). */
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** Error that a contract defines. The HTTP layer converts it to the contract's ErrorResponse. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly text: Message;
  readonly fields: Options['fields'];
  readonly retryAfterSeconds: number | undefined;

  constructor(text: Message, status: number, { fields, retryAfterSeconds, cause }: Options) {
    super(text.code, { cause });
    this.text = text;
    this.status = status;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Creates an error for a definition of the contract, with `values` for the placeholders of its message. */
export function fail<const English extends string>(
  definition: ErrorDefinition<English>,
  ...[options]: ValuesOf<English> extends [infer Values]
    ? [options: Options & { values: Values }]
    : [options?: Options]
): Failure {
  const { values, ...rest }: Options & { values?: unknown } = options ?? {};
  const text = createMessage(definition, ...([values] as ValuesOf<English>));
  const fields = definition.field === undefined ? {} : { fields: { [definition.field]: text } };
  return new Failure(text, definition.status, { ...fields, ...rest });
}

/** Returns the value; throws `refusal` if there is none. */
export function required<Value>(value: Value | null | undefined, refusal: ErrorDefinition): Value {
  if (value === null || value === undefined) throw fail(refusal);
  return value;
}

/** Returns a `catch` handler that throws `refusal` if `constraint` was violated, and rethrows other errors. */
export const onUniqueViolation =
  (constraint: string, refusal: ErrorDefinition): ((error: unknown) => never) =>
  (error) => {
    throw (error as { constraint?: string }).constraint === constraint ? fail(refusal) : error;
  };

/** Throws `refusal` if a rate limit requires a wait of more than 0 seconds. */
export function assertWithinRateLimit(
  retryAfterSeconds: number,
  refusal: ErrorDefinition = requestErrors.tooMany,
): void {
  if (retryAfterSeconds > 0) throw fail(refusal, { retryAfterSeconds });
}
