/**
 * Ties a handler to a route of the contract. What the handler gets is already authenticated, authorised and
 * parsed; what it returns is checked against the route's answer before it is sent.
 */
import type {
  RouteAnswer,
  RouteBody,
  RouteDefinition,
  RouteHeaders,
  RouteParams,
  RouteQuery,
} from '@vestibule/contract/route';
import type { FastifyBaseLogger } from 'fastify';
import type { Cookies } from './cookies.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

/** The signed-in person who makes a call, as read from the database for this very request. */
export type Caller = {
  id: string;
  email: string;
  displayName: string;
  isAdmin: boolean;
  /** When they signed in, in milliseconds since 1970, as far as their token says; absent with a personal access token. */
  signedInAt?: number;
  /** When they last proved who they are, as their session or their token of B2C's says; null where it does not, absent with a personal access token. */
  provenAt?: number | null;
  /** What they chose for themselves; absent with a personal access token. */
  preferences?: { theme: string | null; language: string | null };
  /** The personal access token that the person's program called with; absent in the browser. */
  token?: { id: string; name: string };
  /** The id of the session that a browser called with, where the server signed it in. */
  session?: string;
};

/** Where a request comes from; goes into the audit log. */
export type Origin = {
  requestId: string;
  address: string;
  userAgent?: string;
  /** For what happens later because of it, and belongs to its trace. */
  traceparent?: string | undefined;
};

/** Everything a handler may know of a request. `caller` is null on public routes only. */
export type Call<R extends RouteDefinition> = {
  params: RouteParams<R>;
  query: RouteQuery<R>;
  headers: RouteHeaders<R>;
  body: RouteBody<R>;
  caller: R['access'] extends 'public' ? null : Caller;
  origin: Origin;
  cookies: Cookies;
  log: FastifyBaseLogger;
};

/** What a handler of a route with `media` returns: a stream. */
type Answer<R extends RouteDefinition> = R extends { media: readonly string[] }
  ? StreamedAnswer
  : RouteAnswer<R>;

export type Implementation = {
  route: RouteDefinition;
  handle: (call: unknown) => Promise<unknown>;
};

/** Implements one route. A handler whose input or answer does not fit the contract does not compile. */
export function implement<const R extends RouteDefinition>(
  route: R,
  handle: (call: Call<R>) => Promise<Answer<R>>,
): Implementation {
  return { route, handle: (call) => handle(call as Call<R>) };
}
