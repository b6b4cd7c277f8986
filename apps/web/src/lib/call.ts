/**
 * The one way to call the server: `call(revokeInvitation, { params: { invitationId } })`. What goes in and what
 * comes out is typed by the contract; a wrong call does not compile. Failures are CallFailures, switched on by code.
 */
import { t } from '@lingui/core/macro';
import { getConfiguration, type Configuration } from '@vestibule/contract/configuration';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import type { RouteDefinition, RouteRequest, RouteResult } from '@vestibule/contract/route';
import { CallFailure } from '../language/call-failure.ts';

/**
 * Gives an access token, or null where the browser itself adds a session's cookie; `renew` asks for a fresh one because the
 * server refused the last.
 */
type TokenSource = (options: { renew: boolean }) => Promise<string | null>;

let tokenSource: TokenSource | null = null;
let moreHeaders = (): Record<string, string> => ({});
let refusalListener: RefusalListener | null = null;
const timeoutMilliseconds = 20_000;

/** Names where access tokens come from, once, at start; null: from nowhere, as before. */
export function setTokenProvider(source: TokenSource | null): void {
  tokenSource = source;
}

/** Names what every call says besides. */
export function addHeaders(source: typeof moreHeaders): void {
  moreHeaders = source;
}

/**
 * Hears that the server refuses this person (status 403): altogether, no longer as an administrator, or until they confirm that it is
 * them. True when they have: the call is repeated.
 */
type RefusalListener = (failure: CallFailure) => Promise<boolean>;

/** Names who hears of refusals. */
export function watchRefusals(listener: RefusalListener | null): void {
  refusalListener = listener;
}

type Arguments<R> =
  Partial<RouteRequest<R>> extends RouteRequest<R>
    ? [request?: RouteRequest<R> & { signal?: AbortSignal }]
    : [request: RouteRequest<R> & { signal?: AbortSignal }];

/** Calls a route of the contract. Throws a CallFailure for every answer that is not a success. */
export async function call<R extends RouteDefinition>(
  route: R,
  ...[request]: Arguments<R>
): Promise<RouteResult<R>> {
  const response = await answerTo(route, request ?? {});
  return (await response.json()) as RouteResult<R>;
}

/** Opens an answer that is read as it comes, for as long as that takes: a file, events. Fails like `call`. */
export function openStream(
  route: Pick<RouteDefinition, 'method' | 'path' | 'access'>,
  request: Pick<Parts, 'query' | 'body'> & { accept: string; signal: AbortSignal },
): Promise<Response> {
  return answerTo(route, { ...request, lasting: true });
}

/** The headers that say who calls, for what `call` cannot carry, such as uploads; `renew` when the server refused the last ones. */
export async function authHeaders(options: { renew: boolean }): Promise<{ authorization?: string }> {
  if (!tokenSource) throw new Error('Nobody has said where access tokens come from.');
  return authorization(await tokenSource(options));
}

function authorization(token: string | null): { authorization?: string } {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** An answer that is no success, as what `call` throws; whoever watches refusals hears of it. */
export async function failureOf(response: Response): Promise<CallFailure> {
  const failure = await toFailure(response);
  void isMended(failure);
  return failure;
}

async function isMended(failure: CallFailure): Promise<boolean> {
  return failure.status === 403 && (await refusalListener?.(failure)) === true;
}

async function answerTo(route: Target, parts: Parts): Promise<Response> {
  const source = route.access === 'public' ? null : tokenSource;
  let response = await send(route, parts, source && (await source({ renew: false })));
  // The server is the authority on times: a clock that is wrong here makes old tokens look fresh.
  if (response.status === 401 && source) response = await send(route, parts, await source({ renew: true }));
  if (response.ok) return response;
  const failure = await toFailure(response);
  if (await isMended(failure)) return answerTo(route, parts);
  throw failure;
}

/** The configuration, before anything else is known. */
export function fetchConfiguration(): Promise<Configuration> {
  return call(getConfiguration);
}

type Target = Pick<RouteDefinition, 'method' | 'path' | 'access'>;

type Parts = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  accept?: string;
  /** Without a time limit. */
  lasting?: boolean;
  signal?: AbortSignal;
};

async function send(route: Target, parts: Parts, token: string | null) {
  const { params, query, headers, body, accept = 'application/json', lasting = false, signal } = parts;
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== '') search.set(name, String(value));
  const stops = [...(lasting ? [] : [AbortSignal.timeout(timeoutMilliseconds)]), ...(signal ? [signal] : [])];
  try {
    return await fetch(search.size > 0 ? `${path}?${search}` : path, {
      method: route.method,
      headers: {
        ...headers,
        accept,
        ...authorization(token),
        ...moreHeaders(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any(stops),
      cache: 'no-store',
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw unreachable(cause);
  }
}

/** The failure of a call that got no answer. */
export function unreachable(cause: unknown): CallFailure {
  return new CallFailure(
    {
      code: 'network.unreachable',
      message: t`The server could not be reached. Check your connection and try again.`,
      requestId: '',
    },
    0,
    cause,
  );
}

async function toFailure(response: Response): Promise<CallFailure> {
  let answer: Partial<ErrorResponse> = {};
  try {
    answer = (await response.json()) as Partial<ErrorResponse>;
  } catch {
    // A proxy in between answers with a page of its own; the status says enough.
  }
  return new CallFailure(
    {
      ...answer,
      code: answer.code ?? 'network.unexpected_answer',
      message: answer.message ?? t`The server did not respond. Try again in a minute.`,
      requestId: answer.requestId ?? response.headers.get('x-request-id') ?? '',
    },
    response.status,
    undefined,
    retryAt(response),
  );
}

function retryAt(response: Response): Date | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? new Date(Date.now() + seconds * 1000) : undefined;
}
