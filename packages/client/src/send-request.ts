/** Sends one request, retries it if a retry is safe, and throws for every unsuccessful response. */
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import type { RouteDefinition } from '@vestibule/contract/route';

export type SenderOptions = {
  /** URL of the site, such as `https://portal.example.com`. */
  url: string;
  token: string;
  /** Maximum number of retries. Default: 4. */
  retries?: number;
  /** Replaces the global `fetch`, for tests and proxies. */
  fetch?: typeof globalThis.fetch;
};

export type Request = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
};

/** An unsuccessful response. Programs decide by `code`. `requestId` identifies the request in the server's log. */
export class VestibuleError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** Messages by field name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Value of the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  constructor(status: number, response: Partial<ErrorResponse>, retryAfterSeconds?: number) {
    super(response.message ?? `The server answered ${status}.`);
    this.name = 'VestibuleError';
    this.status = status;
    this.code = response.code ?? 'unknown';
    this.requestId = response.requestId;
    this.fields = response.fields ?? {};
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** For a longer `Retry-After`, the error is thrown instead of waiting. */
const maxWaitSeconds = 60;

export function createSender({ url, token, retries = 4, fetch = globalThis.fetch }: SenderOptions) {
  /** Returns the parsed response, or the stream of an export. */
  return async function send(route: RouteDefinition, request: Request): Promise<unknown> {
    const address = buildUrl(url, route.path, request);
    const init: RequestInit = {
      method: route.method,
      // Never send the token to another address.
      redirect: 'error',
      headers: {
        ...request.headers,
        authorization: `Bearer ${token}`,
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      ...(request.signal && { signal: request.signal }),
    };
    // A request without a response may have been executed, so only GET and requests with an idempotency key are safe to retry.
    const canRetry = route.method === 'GET' || request.headers?.['idempotency-key'] !== undefined;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= retries;
      let response: Response;
      let body: string | undefined;
      try {
        response = await fetch(address, init);
        // The connection can also fail while the body is read.
        if (response.ok && !route.media) body = await response.text();
      } catch (error) {
        if (isLast || !canRetry || request.signal?.aborted) throw error;
        await wait(backoffMs(attempt), request.signal);
        continue;
      }
      if (response.ok) return body === undefined ? response.body : JSON.parse(body);
      // A request refused with 429 was not executed.
      const shouldRetry = response.status === 429 || (canRetry && [502, 503, 504].includes(response.status));
      const retryAfter = Number(response.headers.get('retry-after'));
      const retryAfterSeconds = retryAfter > 0 ? retryAfter : undefined;
      if (isLast || !shouldRetry || (retryAfterSeconds ?? 0) > maxWaitSeconds)
        throw await toError(response, retryAfterSeconds);
      await response.body?.cancel();
      await wait(
        retryAfterSeconds === undefined ? backoffMs(attempt) : retryAfterSeconds * 1_000,
        request.signal,
      );
    }
  };
}

/** 0.5 s, 1 s, 2 s …, plus up to 25 % jitter. */
const backoffMs = (attempt: number) => 500 * 2 ** attempt * (1 + Math.random() / 4);

const wait = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

function buildUrl(url: string, path: string, { params = {}, query = {} }: Request): URL {
  const pathWithParams = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const address = new URL(pathWithParams, url);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value));
  return address;
}

async function toError(response: Response, retryAfterSeconds: number | undefined): Promise<VestibuleError> {
  const body: unknown = await response.json().catch(() => ({}));
  return new VestibuleError(
    response.status,
    typeof body === 'object' && body !== null ? body : {},
    retryAfterSeconds,
  );
}
