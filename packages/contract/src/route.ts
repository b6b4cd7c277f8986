/**
 * Route definitions: values that the server implements, the browser calls, and the OpenAPI document is generated from.
 * They use `zod/mini`, a fifth of the size of `zod`, because they are part of the browser's build.
 */
import type * as z from 'zod/mini';
import type { MessageDefinition } from './texts/text.ts';

/**
 * Required access of the caller. The server checks it before parsing the request. A permission is one within an organization: that of
 * the path parameter `organizationId`, otherwise that of the header `Vestibule-Organization`. Site administrators have all permissions.
 */
export type Access = 'public' | 'member' | 'admin' | { readonly permission: string };

/** Error of a route. `code` (`area.reason`) is for programs; `message` is for people. */
export type ErrorDefinition<Message extends string = string> = MessageDefinition<Message> & {
  readonly status: number;
  /** Field of the request that is wrong. The response has the message for the field too. */
  readonly field?: string;
};

type Schema = z.ZodMiniType;
type ObjectSchema = z.ZodMiniObject;

export type RefusedMethod = 'code' | 'passkey' | 'provider' | 'invitation';

type RequestLine = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
};

export type RouteDefinition = RequestLine & {
  readonly access: Access;
  /** Scope that a personal access token needs. Routes without a scope reject tokens. */
  readonly scope?: string;
  /** Whether access tokens of an organization are accepted, whatever their permissions. */
  readonly acceptsOrganizationTokens?: true;
  /** Only pages of this site may call this public route, because it reads or writes cookies. */
  readonly sameOrigin?: true;
  /**
   * Whether the route requires a sign-in within `recentAuthMinutes`: always, or depending on the body. Applies to sessions. Personal access
   * tokens of the site need the scope `administrators:write` instead, because the routes that they can call create administrators.
   */
  readonly requiresRecentAuth?: true | ((body: never) => boolean);
  /** Extends `requiresRecentAuth` to B2C tokens, because the route adds a sign-in method. */
  readonly addsSignInMethod?: true;
  /** Method of the sign-in that the route takes part in. Refusals are logged with the network address, and counted. */
  readonly signInMethod?: RefusedMethod;
  readonly summary: string;
  readonly params?: ObjectSchema;
  readonly query?: ObjectSchema;
  /** Request headers, in lower case. */
  readonly headers?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** Maximum size of the body in bytes. Default: 256 KB. */
  readonly bodyLimit?: number;
  readonly response: Schema;
  /** Media types of a streamed response; `response` is then `streamed`. */
  readonly media?: readonly string[];
  readonly errors?: readonly ErrorDefinition[];
};

/** Parsed part of a request; undefined if the route does not define it. */
type Parsed<R, K extends 'params' | 'query' | 'headers' | 'body'> =
  R extends Record<K, infer S extends Schema> ? z.output<S> : undefined;

export type RouteParams<R> = Parsed<R, 'params'>;
export type RouteQuery<R> = Parsed<R, 'query'>;
export type RouteHeaders<R> = Parsed<R, 'headers'>;
export type RouteBody<R> = Parsed<R, 'body'>;

export type RouteResponse<R extends RouteDefinition> = z.input<R['response']>;

export type RouteResult<R extends RouteDefinition> = z.output<R['response']>;

type RequestPart<R, K extends 'params' | 'query' | 'headers' | 'body'> =
  R extends Record<K, infer S extends Schema>
    ? Partial<z.input<S>> extends z.input<S>
      ? { [P in K]?: z.input<S> }
      : { [P in K]: z.input<S> }
    : unknown;

export type RouteRequest<R> = RequestPart<R, 'params'> &
  RequestPart<R, 'query'> &
  RequestPart<R, 'headers'> &
  RequestPart<R, 'body'>;

/** Defines a route by its request line, such as `GET /api/people/:personId`. */
export function defineRoute<const R extends Omit<RouteDefinition, keyof RequestLine>>(
  requestLine: `${RequestLine['method']} ${RequestLine['path']}`,
  route: R,
): RequestLine & R {
  const [method, path] = requestLine.split(' ') as [RequestLine['method'], RequestLine['path']];
  return { method, path, ...route };
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

type Messages = Record<number, Record<string, string>>;
type NameIn<M extends Messages> = { [Status in keyof M]: keyof M[Status] & string }[keyof M];
type ErrorNamed<Area extends string, M extends Messages, Name extends string> = {
  [Status in keyof M]: Name extends keyof M[Status]
    ? {
        readonly code: `${Area}.${SnakeCase<Name>}`;
        readonly status: Status & number;
        readonly message: M[Status][Name];
        readonly field?: string;
      }
    : never;
}[keyof M];

/**
 * Defines the errors of an area, by status and name. The code of `notFound` in `person` is `person.not_found`. `fields` names the field of
 * the request that is wrong.
 */
export function defineErrors<const Area extends string, const M extends Messages>(
  area: Area,
  messages: M,
  fields: { readonly [Name in NameIn<M>]?: string } = {},
) {
  const entries = Object.entries(messages).flatMap(([status, named]) =>
    Object.entries(named).map(([name, message]) => {
      const reason = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const field = (fields as Record<string, string | undefined>)[name];
      return [
        name,
        { code: `${area}.${reason}`, status: Number(status), message, ...(field !== undefined && { field }) },
      ];
    }),
  );
  return Object.fromEntries(entries) as { [Name in NameIn<M>]: ErrorNamed<Area, M, Name> };
}

/** Returns the named errors of an area, for the errors of a route. */
export const errorsOf = <const M extends Record<string, ErrorDefinition>>(
  errors: M,
  ...names: (keyof M & string)[]
): ErrorDefinition[] => names.map((name) => errors[name] as ErrorDefinition);
