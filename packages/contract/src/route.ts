/**
 * The definition of one call of the API as a value: the server implements it, the browser calls it, the
 * OpenAPI document is derived from it. Knows nothing of any business area and nothing of HTTP libraries.
 *
 * `zod/mini` and not `zod`: route values reach the browser, where it costs a fifth.
 */
import type * as z from 'zod/mini';
import type { MessageDefinition } from './texts/text.ts';

/** Who may call a route. Checked by the server before anything of the request is parsed. */
export type Access = 'public' | 'member' | 'admin';

/** An error a route can answer. `code` (`area.reason`) is what programs switch on; `message` is for people. */
export type ErrorDefinition<Message extends string = string> = MessageDefinition<Message> & {
  readonly status: number;
};

type Schema = z.ZodMiniType;
type ObjectSchema = z.ZodMiniObject;

type RequestLine = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with named parameters, such as `/api/invitations/:invitationId/revoke`. */
  readonly path: `/${string}`;
};

export type RouteDefinition = RequestLine & {
  readonly access: Access;
  /** The scope that a personal access token needs to call it; without one, no such token can. */
  readonly scope?: string;
  /** Only a page of this site may call it, though nobody has to be signed in: it reads or writes cookies. */
  readonly sameOrigin?: true;
  /** Whoever calls by a session must have signed in a short while ago (`recentAuthMinutes`): always, or when the body says so. */
  readonly fresh?: true | ((body: never) => boolean);
  /** It adds a way to sign in: whoever calls by a token of B2C's must have signed in a short while ago, too. */
  readonly addsWay?: true;
  /** One sentence for the API's documentation. */
  readonly summary: string;
  readonly params?: ObjectSchema;
  readonly query?: ObjectSchema;
  /** Headers that the route reads, in lower case. */
  readonly headers?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** The most bytes of a body, where the usual 256 KB are too few. */
  readonly bodyLimit?: number;
  readonly answer: Schema;
  /** The media types of an answer that is a stream and not JSON; `answer` is `streamed` then. */
  readonly media?: readonly string[];
  readonly errors?: readonly ErrorDefinition[];
};

/** What a handler receives for each part of a request: parsed, or undefined where the route has none. */
type Parsed<R, K extends 'params' | 'query' | 'headers' | 'body'> =
  R extends Record<K, infer S extends Schema> ? z.output<S> : undefined;

export type RouteParams<R> = Parsed<R, 'params'>;
export type RouteQuery<R> = Parsed<R, 'query'>;
export type RouteHeaders<R> = Parsed<R, 'headers'>;
export type RouteBody<R> = Parsed<R, 'body'>;

/** What a handler returns, before it is checked against `answer`. */
export type RouteResponse<R extends RouteDefinition> = z.input<R['answer']>;

/** What a caller receives. */
export type RouteResult<R extends RouteDefinition> = z.output<R['answer']>;

type Sent<R, K extends 'params' | 'query' | 'headers' | 'body'> =
  R extends Record<K, infer S extends Schema>
    ? Partial<z.input<S>> extends z.input<S>
      ? { [P in K]?: z.input<S> }
      : { [P in K]: z.input<S> }
    : unknown;

/** What a caller has to send: `params`, `query`, `headers` and `body` where the route has them. */
export type RouteRequest<R> = Sent<R, 'params'> & Sent<R, 'query'> & Sent<R, 'headers'> & Sent<R, 'body'>;

/** Declares a route by what it is asked with, such as `GET /api/people/:personId`, and keeps the exact types. */
export function defineRoute<const R extends Omit<RouteDefinition, keyof RequestLine>>(
  asked: `${RequestLine['method']} ${RequestLine['path']}`,
  route: R,
): RequestLine & R {
  const [method, path] = asked.split(' ') as [RequestLine['method'], RequestLine['path']];
  return { method, path, ...route };
}

/** `notFound` as `not_found`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** By status and name. */
type Messages = Record<number, Record<string, string>>;
type NameIn<M extends Messages> = { [Status in keyof M]: keyof M[Status] & string }[keyof M];
type ErrorNamed<Area extends string, M extends Messages, Name extends string> = {
  [Status in keyof M]: Name extends keyof M[Status]
    ? {
        readonly code: `${Area}.${Snake<Name>}`;
        readonly status: Status & number;
        readonly message: M[Status][Name];
      }
    : never;
}[keyof M];

/** Declares the errors of an area, by status and name. The code of `notFound` in `person` is `person.not_found`. */
export function defineErrors<const Area extends string, const M extends Messages>(area: Area, messages: M) {
  const entries = Object.entries(messages).flatMap(([status, named]) =>
    Object.entries(named).map(([name, message]) => {
      const reason = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, { code: `${area}.${reason}`, status: Number(status), message }];
    }),
  );
  return Object.fromEntries(entries) as { [Name in NameIn<M>]: ErrorNamed<Area, M, Name> };
}
