/** Creates the tracer and its sender, and a span for each request, which contains no user input from URL, headers or body. */
import type { FastifyInstance } from 'fastify';
import type { TraceConfig } from '../../config/trace-variables.ts';
import { currentSpan, type Span, type Tracer } from '../current-span.ts';
import { createTracer, writeAttributes } from './tracer.ts';

export type Traces = {
  tracer: Tracer;
  /** Must be called before any other hook is added. */
  traceRequests: (app: FastifyInstance) => void;
  flush(): Promise<void>;
  /** Sends queued spans within two seconds, when the process stops. */
  close(): Promise<void>;
};

export function createTracing(
  config: TraceConfig,
  log: Parameters<typeof createSpanSender>[1],
  now: () => number,
): Traces {
  const sender = createSpanSender(config, log);
  const tracer = createTracer({ sampler: config.sampler, onSpan: (span) => sender.add(span), now });
  return { ...sender, tracer, traceRequests: (app) => traceRequests(app, tracer) };
}

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyRequest {
    span?: Span | undefined;
  }
}

/** Must be called before any other hook is added. Names follow OpenTelemetry's semantic conventions for HTTP. */
function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    // Requests that are not logged, such as health checks, are not traced.
    if (request.routeOptions.logLevel === 'warn') return done();
    const { traceparent } = request.headers;
    const span = tracer.startSpan(traceparent === undefined ? undefined : String(traceparent), () => {
      const { method, protocol } = request;
      const { url: route } = request.routeOptions;
      return {
        name: route === undefined ? method : `${method} ${route}`,
        kind: 'server',
        attributes: {
          'http.request.method': method,
          'url.scheme': protocol,
          ...(route !== undefined && { 'http.route': route }),
          'vestibule.request_id': request.id,
        },
      };
    });
    if (!span) return done();
    request.span = span;
    // `close` is emitted even if the client has disconnected before the response.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span.end({
        attributes: { 'http.response.status_code': statusCode },
        error: reply.raw.writableFinished ? (statusCode >= 500 ? String(statusCode) : undefined) : 'aborted',
      });
    });
    // Fastify keeps the async context across the body's stream events.
    currentSpan.run(span, done);
  });
}

const defaultLimits = {
  /** About 3 MB. */
  maxQueued: 4096,
  maxPerRequest: 1024,
  intervalMs: 5_000,
  responseTimeoutMs: 10_000,
  /** Time limit for queued spans when the process stops. */
  closeTimeoutMs: 2_000,
};

type Log = { warn(details: object, message: string): void; info(details: object, message: string): void };

export type SpanSender = { add(span: object): void; flush(): Promise<void>; close(): Promise<void> };

/**
 * Sends spans to an OTLP receiver over HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp), in the
 * background. Spans are queued; when the queue is full, new ones are dropped.
 */
export function createSpanSender(
  { address, headers, resource }: Pick<TraceConfig, 'address' | 'headers' | 'resource'>,
  log: Log,
  limits: typeof defaultLimits = defaultLimits,
): SpanSender {
  const attributes = writeAttributes(resource);
  const queue: object[] = [];
  let lostSpans = 0;
  let isUnavailable = false;
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => void send(), limits.intervalMs).unref();

  function send(signal?: AbortSignal): Promise<void> {
    // Sends outside of the context of the request whose span filled the queue.
    sending ??= currentSpan.run(undefined, () => sendAll(signal)).finally(() => (sending = undefined));
    return sending;
  }

  async function sendAll(signal?: AbortSignal): Promise<void> {
    while (queue.length > 0) {
      const spans = queue.slice(0, limits.maxPerRequest);
      const scopeSpans = [{ scope: { name: 'vestibule' }, spans }];
      const request = { resourceSpans: [{ resource: { attributes }, scopeSpans }] };
      const outcome = await post(JSON.stringify(request), signal);
      // After a temporary failure, the spans are sent again. Rejected spans are dropped: they would be rejected again.
      if (outcome !== 'later') queue.splice(0, spans.length);
      if (outcome === 'refused') lostSpans += spans.length;
      if (outcome !== 'taken') return;
    }
  }

  async function post(body: string, signal?: AbortSignal): Promise<'taken' | 'later' | 'refused'> {
    const timeout = AbortSignal.timeout(limits.responseTimeoutMs);
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'error',
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      // Read to the end, so that the connection can be reused.
      await response.arrayBuffer();
      if (response.ok) {
        logRecovery();
        return 'taken';
      }
      logUnavailable({ status: response.status });
      // OTLP, "Failures": only these may be retried.
      return [429, 502, 503, 504].includes(response.status) ? 'later' : 'refused';
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      logUnavailable({ error: cause?.code ?? name });
      return 'later';
    }
  }

  /** Logs the first failure and the recovery. */
  function logUnavailable(reason: object): void {
    if (!isUnavailable)
      log.warn(reason, 'the receiver of traces does not take them: new ones are lost when too many wait');
    isUnavailable = true;
  }

  function logRecovery(): void {
    if (isUnavailable) log.info({ lost: lostSpans }, 'the receiver of traces takes them again');
    isUnavailable = false;
    lostSpans = 0;
  }

  return {
    add(span) {
      if (queue.length >= limits.maxQueued) {
        lostSpans += 1;
        return;
      }
      queue.push(span);
      // During an outage only the timer retries.
      if (queue.length >= limits.maxPerRequest && sending === undefined && !isUnavailable) void send();
    },

    flush: () => send(),

    async close() {
      clearInterval(timer);
      const signal = AbortSignal.timeout(limits.closeTimeoutMs);
      const timedOut = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      // Waits for the request in flight, then sends later spans.
      await Promise.race([timedOut, (sending ?? Promise.resolve()).then(() => send(signal))]);
    },
  };
}
