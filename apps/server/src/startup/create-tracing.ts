/** Enables tracing if configured; otherwise its modules are not loaded. */
import type { Logger } from 'pino';
import type { TraceConfig } from '../platform/config/trace-variables.ts';
import type { Traces } from '../platform/telemetry/traces/create-tracing.ts';

export async function createTracingIfConfigured(
  config: TraceConfig | null,
  logger: Logger,
  now: () => number,
): Promise<Traces | undefined> {
  if (config === null) return undefined;
  const { createTracing } = await import('../platform/telemetry/traces/create-tracing.ts');
  return createTracing(config, logger, now);
}
