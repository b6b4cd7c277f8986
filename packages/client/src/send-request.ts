/** Sends one request, again where that does no harm, and turns every answer that is no success into an error. */
import type { ErrorAnswer } from '@vestibule/contract/request-errors';
import type { RouteDefinition } from '@vestibule/contract/route';

export type SenderOptions = {
  /** The address of the site, such as `https://portal.example.com`. */
  url: string;
  token: string;
  /** How often a request is sent again, at most. Default 4. */
  retries?: number;
  /** Instead of the platform's, for tests and proxies. */
  fetch?: typeof globalThis.fetch;
};

/** The parts of a request, before they are written into an address. */
export type Request = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
};

/** An answer that is no success. Programs decide by `code`; `requestId` finds the line in the server's log. */
export class VestibuleError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** What is wrong with which field. */
  readonly fields: Readonly<Record<string, string>>;
  /** After how many seconds the server wants to be retryAfter again, where it says so. */
  readonly retryAfterSeconds: number | undefined;
  constructor(status: number, response: Partial<ErrorAnswer>, retryAfterSeconds?: number) {
    super(response.message ?? `The server answered ${status}.`);
    this.name = 'VestibuleError';
    this.status = status;
    this.code = response.code ?? 'unknown';
    this.requestId = response.requestId;
    this.fields = response.fields ?? {};
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whoever has to wait longer hears of it at once. */
const maxWaitSeconds = 60;

export function createSender({ url, token, retries = 4, fetch = globalThis.fetch }: SenderOptions) {
  /** Gives what the answer says, of an export its stream. */
  return async function send(route: RouteDefinition, request: Request): Promise<unknown> {
    const address = buildUrl(url, route.path, request);
    const init: RequestInit = {
      method: route.method,
      // A token goes to nobody else.
      redirect: 'error',
      headers: {
        ...request.headers,
        authorization: `Bearer ${token}`,
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      ...(request.signal && { signal: request.signal }),
    };
    // Whatever was lost on the way may have been done: only reading, and what has a key, can be retryAfter twice.
    const canRetry = route.method === 'GET' || request.headers?.['idempotency-key'] !== undefined;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= retries;
      let response: Response;
      let body: string | undefined;
      try {
        response = await fetch(address, init);
        // An answer can also be lost on the way when it has begun.
        if (response.ok && !route.media) body = await response.text();
      } catch (error) {
        if (isLast || !canRetry || request.signal?.aborted) throw error;
        await wait(backoffMs(attempt), request.signal);
        continue;
      }
      if (response.ok) return body === undefined ? response.body : JSON.parse(body);
      // "Too many" was refused before anything was done.
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

/** 0.5 s, 1 s, 2 s …, up to a quarter more, so that programs that fail together do not come back together. */
const backoffMs = (attempt: number) => 500 * 2 ** attempt * (1 + Math.random() / 4);

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
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
}

function buildUrl(url: string, path: string, { params = {}, query = {} }: Request): URL {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const address = new URL(filled, url);
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
