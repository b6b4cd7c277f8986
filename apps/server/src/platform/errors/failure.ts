/** The one way to answer with an error: `throw fail(invitationErrors.notFound)`. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import { say, type Text, type ValuesOf } from '@vestibule/contract/texts/text';

type Options = {
  /** What is wrong where: a text for people, or a sentence that only programs can cause. */
  fields?: Record<string, Text | string>;
  /** Seconds after which the caller may try again (header Retry-After, RFC 9110 section 10.2.3). */
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** An error that a contract defines. The HTTP layer turns it into the contract's ErrorAnswer. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly text: Text;
  readonly fields: Options['fields'];
  readonly retryAfterSeconds: number | undefined;

  constructor(text: Text, status: number, { fields, retryAfterSeconds, cause }: Options) {
    super(text.code, { cause });
    this.text = text;
    this.status = status;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Makes the error to throw for a definition of the contract, with `values` for the gaps of its message. */
export function fail<const Message extends string>(
  definition: ErrorDefinition<Message>,
  ...[options]: ValuesOf<Message> extends [infer Values]
    ? [options: Options & { values: Values }]
    : [options?: Options]
): Failure {
  const { values, ...rest }: Options & { values?: unknown } = options ?? {};
  return new Failure(say(definition, ...([values] as ValuesOf<Message>)), definition.status, rest);
}

/** For `catch`: throws `refusal` where the database refused a row by `constraint`, since there is one like it. */
export function whenTaken(constraint: string, refusal: ErrorDefinition): (error: unknown) => never {
  return (error) => {
    throw (error as { constraint?: string }).constraint === constraint ? fail(refusal) : error;
  };
}

/** Refuses whoever has to wait for so long, as a rate limit says; nobody for 0 seconds. */
export function refuseFor(retryAfterSeconds: number, refusal: ErrorDefinition = requestErrors.tooMany): void {
  if (retryAfterSeconds > 0) throw fail(refusal, { retryAfterSeconds });
}
