/** Typed calls to the server: `call(revokeInvitation, { params: { invitationId } })`. Failures are thrown as CallFailure. */
import { t } from '@lingui/core/macro';
import { getConfiguration, type Configuration } from '@vestibule/contract/configuration';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import type { RouteDefinition, RouteRequest, RouteResult } from '@vestibule/contract/route';
import { CallFailure } from '../language/call-failure.ts';

/** Returns an access token, or null if the browser sends a session cookie. `renew` requests a new token after a 401. */
type TokenSource = (options: { renew: boolean }) => Promise<string | null>;

let tokenSource: TokenSource | null = null;
const headerSources: (() => Record<string, string>)[] = [];
let refusalListener: RefusalListener | null = null;
let retryReads: RetryReads | null = null;
const timeoutMilliseconds = 20_000;

/** Sets the source of access tokens at startup; null removes it. */
export function setTokenProvider(source: TokenSource | null): void {
  tokenSource = source;
}

/** Adds a source of additional headers for every call. */
export function addHeaders(source: () => Record<string, string>): void {
  headerSources.push(source);
}

/** Called when the server refuses the user (403). Returns true to repeat the call. */
type RefusalListener = (failure: CallFailure) => Promise<boolean>;

export function watchRefusals(listener: RefusalListener | null): void {
  refusalListener = listener;
}

/** Repeats a failed call that only reads, or throws its error. */
type RetryReads = (
  error: unknown,
  repeat: () => Promise<Response>,
  signal?: AbortSignal,
) => Promise<Response>;

/** Sets what happens when a call that only reads fails; by default it throws. */
export function setRetryReads(retry: RetryReads | null): void {
  retryReads = retry;
}

type Arguments<R> =
  Partial<RouteRequest<R>> extends RouteRequest<R>
    ? [request?: RouteRequest<R> & { signal?: AbortSignal }]
    : [request: RouteRequest<R> & { signal?: AbortSignal }];

/** Calls a route of the contract. Throws a CallFailure unless the response is successful. */
export async function call<R extends RouteDefinition>(
  route: R,
  ...[request]: Arguments<R>
): Promise<RouteResult<R>> {
  const response = await fetchResponse(route, request ?? {});
  return (await response.json()) as RouteResult<R>;
}

/** Returns the response for reading it as a stream (a file or events), without a time limit. Throws as `call` does. */
export const openStream = (
  route: Pick<RouteDefinition, 'method' | 'path' | 'access'>,
  request: Pick<RequestParts, 'query' | 'headers' | 'body'> & { accept: string; signal: AbortSignal },
): Promise<Response> => fetchResponse(route, { ...request, isStream: true });

/** Returns the authorization headers for requests outside of `call`, such as uploads. Pass `renew` after a 401. */
export async function authHeaders(options: { renew: boolean }): Promise<{ authorization?: string }> {
  if (!tokenSource) throw new Error('setTokenProvider was not called.');
  return authorization(await tokenSource(options));
}

const authorization = (token: string | null): { authorization?: string } =>
  token === null ? {} : { authorization: `Bearer ${token}` };

/** Converts a failed response to the CallFailure that `call` would throw, and notifies the refusal listener. */
export async function reportFailedResponse(response: Response): Promise<CallFailure> {
  const failure = await readFailure(response);
  void recoverFrom403(failure);
  return failure;
}

const recoverFrom403 = async (failure: CallFailure): Promise<boolean> =>
  failure.status === 403 && (await refusalListener?.(failure)) === true;

async function fetchResponse(route: RouteTarget, parts: RequestParts): Promise<Response> {
  const fetchParts = () => fetchOnce(route, parts);
  const retry = route.method === 'GET' && !parts.isStream && retryReads;
  return retry
    ? fetchParts().catch((error: unknown) => retry(error, fetchParts, parts.signal))
    : fetchParts();
}

async function fetchOnce(route: RouteTarget, parts: RequestParts): Promise<Response> {
  const source = route.access === 'public' ? null : tokenSource;
  let response = await send(route, parts, source && (await source({ renew: false })));
  // The server decides whether a token has expired: the local clock may be wrong.
  if (response.status === 401 && source) response = await send(route, parts, await source({ renew: true }));
  if (response.ok) return response;
  const failure = await readFailure(response);
  if (await recoverFrom403(failure)) return fetchOnce(route, parts);
  throw failure;
}

export const fetchConfiguration = (): Promise<Configuration> => call(getConfiguration);

type RouteTarget = Pick<RouteDefinition, 'method' | 'path' | 'access'>;

type RequestParts = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  accept?: string;
  /** Disables the time limit. */
  isStream?: boolean;
  signal?: AbortSignal;
};

async function send(route: RouteTarget, parts: RequestParts, token: string | null) {
  const { params, query, headers, body, accept = 'application/json', isStream = false, signal } = parts;
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== '') search.set(name, String(value));
  const signals = [
    ...(isStream ? [] : [AbortSignal.timeout(timeoutMilliseconds)]),
    ...(signal ? [signal] : []),
  ];
  try {
    return await fetch(search.size > 0 ? `${path}?${search}` : path, {
      method: route.method,
      headers: {
        ...headers,
        accept,
        ...authorization(token),
        ...Object.assign({}, ...headerSources.map((source) => source())),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any(signals),
      cache: 'no-store',
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw createUnreachableFailure(cause);
  }
}

export const createUnreachableFailure = (cause: unknown): CallFailure =>
  new CallFailure(
    {
      code: 'network.unreachable',
      message: t`The server could not be reached. Check your connection and try again.`,
      requestId: '',
    },
    0,
    cause,
  );

async function readFailure(response: Response): Promise<CallFailure> {
  let body: Partial<ErrorResponse> = {};
  try {
    body = (await response.json()) as Partial<ErrorResponse>;
  } catch {
    // A proxy has responded with HTML; the status is sufficient.
  }
  return new CallFailure(
    {
      ...body,
      code: body.code ?? 'network.unexpected_answer',
      message: body.message ?? t`The server did not respond. Try again in a minute.`,
      requestId: body.requestId ?? response.headers.get('x-request-id') ?? '',
    },
    response.status,
    undefined,
    readRetryAt(response),
  );
}

function readRetryAt(response: Response): Date | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? new Date(Date.now() + seconds * 1000) : undefined;
}
