/** Entry point of tracing; loaded only if enabled. */
import type { FastifyInstance } from 'fastify';
import type { TraceConfig } from '../../config/trace-variables.ts';
import type { Tracer } from '../current-span.ts';
import { createSpanSender } from './send-spans.ts';
import { traceRequests } from './trace-requests.ts';
import { createTracer } from './tracer.ts';

export type Traces = {
  tracer: Tracer;
  /** Must be called before any other hook is added. */
  traceRequests: (app: FastifyInstance) => void;
  /** Sends queued spans. */
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
