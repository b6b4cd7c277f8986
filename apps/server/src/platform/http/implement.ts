/**
 * Binds a handler to a route of the contract. Its input is authenticated, authorized and parsed; its result is checked
 * against the contract before it is sent.
 */
import type {
  RouteResponse,
  RouteBody,
  RouteDefinition,
  RouteHeaders,
  RouteParams,
  RouteQuery,
} from '@vestibule/contract/route';
import type { FastifyBaseLogger } from 'fastify';
import type { Cookies } from './cookies.ts';
import type { StreamedResponse } from './streamed-response.ts';

/** Signed-in user of a call, read from the database for this request. */
export type Caller = {
  id: string;
  email: string;
  displayName: string;
  isAdmin: boolean;
  /** Sign-in time in milliseconds since 1970, from the token; absent with a personal access token. */
  signedInAt?: number;
  /** Time of the last authentication according to the session or B2C token; null if unknown, absent with a personal access token. */
  authenticatedAt?: number | null;
  /** User preferences; absent with a personal access token. */
  preferences?: { theme: string | null; language: string | null };
  /** Personal access token of the call; absent in the browser. */
  token?: { id: string; name: string; scopes: readonly string[] };
  /** Limit of a personal access token: only routes with one of these permissions in this organization accept the caller. */
  limitedTo?: { organizationId: string; permissions: readonly string[] };
  /** Id of the browser session, if the server signed the user in. */
  session?: string;
  /** Sign-in method of the session. */
  signInMethod?: string;
};

/** Organization of a call to a route that needs a permission. */
export type CallerOrganization = {
  id: string;
  name: string;
  permissions: ReadonlySet<string>;
  /** The caller is no member, but acts as an administrator of the site. */
  asSiteAdministrator: boolean;
  /** The organization is suspended or has expired: only administrators of the site can call its routes. */
  isSuspended?: boolean;
};

/** Origin of a request, for the audit log. */
export type Origin = {
  requestId: string;
  address: string;
  userAgent?: string;
  /** Header Accept-Language. */
  acceptLanguage?: string;
  /** Trace context for later work caused by the request. */
  traceparent?: string | undefined;
};

/** Caller of a change and the origin of the request, as in a handler's input. */
export type Actor = { caller: Caller; origin: Origin };

/** Actor in a route of the site (`organization` is null) or of an organization. */
export type ScopedActor = Actor & { organization: CallerOrganization | null };

/** Handler input. `caller` is null on public routes only. */
export type Call<R extends RouteDefinition> = {
  params: RouteParams<R>;
  query: RouteQuery<R>;
  headers: RouteHeaders<R>;
  body: RouteBody<R>;
  caller: R['access'] extends 'public' ? null : Caller;
  organization: R['access'] extends { permission: string }
    ? CallerOrganization
    : R extends { acceptsOrganizationTokens: true }
      ? CallerOrganization | null
      : null;
  origin: Origin;
  cookies: Cookies;
  log: FastifyBaseLogger;
  /** Logs and counts a refused sign-in that the response does not report as an error. */
  recordRefusal: (code: string) => void;
};

/** A stream for a route with `media`. */
type HandlerResult<R extends RouteDefinition> = R extends { media: readonly string[] }
  ? StreamedResponse
  : RouteResponse<R>;

export type Implementation = { route: RouteDefinition; handle: (call: unknown) => Promise<unknown> };

/** Implements one route. A handler whose input or result does not match the contract does not compile. */
export const implement = <const R extends RouteDefinition>(
  route: R,
  handle: (call: Call<R>) => Promise<HandlerResult<R>>,
): Implementation => ({ route, handle: (call) => handle(call as Call<R>) });

/** Call to a route of the site or of an organization. */
type CallInScope<R extends RouteDefinition> = Omit<Call<R>, keyof ScopedActor> & ScopedActor;

/** Implements a route of the site and the same route of an organization. The handler must stay within the scope of `organization`. */
export const implementInScopes = <const R extends RouteDefinition>(
  site: R,
  ofOrganization: RouteDefinition,
  handle: (call: CallInScope<R>) => Promise<HandlerResult<R>>,
): Implementation[] =>
  [site, ofOrganization].map((route) => ({ route, handle: (call) => handle(call as CallInScope<R>) }));
