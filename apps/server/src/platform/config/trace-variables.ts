/**
 * Reads OpenTelemetry's variables (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 * Without an endpoint, tracing is off and the other variables are ignored.
 */
import { randomUUID } from 'node:crypto';
import { parseUrl } from './addresses.ts';

/**
 * Sampling rule. With `followsParent`, the decision of a remote parent applies, if there is one. Other traces are sampled by
 * their id: the given share of them, and at most `perSecond` in a second.
 */
export type Sampler = { followsParent: boolean; share: number; perSecond?: number };

export type TraceConfig = Readonly<{
  /** Complete URL with its path. */
  address: string;
  headers: Record<string, string>;
  sampler: Sampler;
  /** Resource attributes. */
  resource: Record<string, string>;
}>;

/** Variable names as listed in docs/configuration.md. */
export const traceVariableNames = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_TRACES_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SDK_DISABLED',
] as const;
type Variable = (typeof traceVariableNames)[number];
type Environment = Partial<Record<string, string>>;

/**
 * Default: all traces of a quiet site, and on a busy site a limited number per second, whose cost is negligible
 * (docs/decisions/030-traces-without-the-sdk.md).
 */
const defaultSampler: Sampler = { followsParent: true, share: 1, perSecond: 100 };

const samplers = new Map<string, (share: number) => Sampler>([
  ['always_on', () => ({ followsParent: false, share: 1 })],
  ['always_off', () => ({ followsParent: false, share: 0 })],
  ['traceidratio', (share) => ({ followsParent: false, share })],
  ['parentbased_always_on', () => ({ followsParent: true, share: 1 })],
  ['parentbased_always_off', () => ({ followsParent: true, share: 0 })],
  ['parentbased_traceidratio', (share) => ({ followsParent: true, share })],
]);

/** Returns null traces if there is no endpoint or tracing is disabled. `problems` has a line for each unusable variable. */
export function readTraces(given: Environment): { traces: TraceConfig | null; problems: string[] } {
  const problems: string[] = [];
  const refuse = (variable: Variable, expected: string) =>
    void problems.push(`  ${variable}: should be ${expected}`);
  const base = given['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const own = given['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const isOff =
    given['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || given['OTEL_TRACES_EXPORTER'] === 'none';
  if ((own ?? base) === undefined || isOff) return { traces: null, problems };

  for (const variable of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const)
    if (given[variable] !== undefined && !isWebAddress(given[variable]))
      refuse(variable, 'the address of an OTLP over HTTP receiver, such as http://collector:4318');
  const protocol: Variable =
    given['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] === undefined
      ? 'OTEL_EXPORTER_OTLP_PROTOCOL'
      : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  if ((given[protocol] ?? 'http/json') !== 'http/json')
    refuse(protocol, 'http/json, or left out: no other protocol is supported');
  if ((given['OTEL_TRACES_EXPORTER'] ?? 'otlp') !== 'otlp') refuse('OTEL_TRACES_EXPORTER', 'otlp or none');
  const named = given['OTEL_TRACES_SAMPLER'];
  const sampler = named === undefined ? () => defaultSampler : samplers.get(named);
  if (!sampler) refuse('OTEL_TRACES_SAMPLER', `one of ${[...samplers.keys()].join(', ')}`);
  const share = Number(given['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  if (!(share >= 0 && share <= 1)) refuse('OTEL_TRACES_SAMPLER_ARG', 'a share between 0 and 1, such as 0.1');

  const pairs = (variable: Variable) => {
    const read = readPairs(given[variable] ?? '');
    if (!read) refuse(variable, 'name=value, several separated by commas, special characters as %2C');
    return read ?? {};
  };
  const headers = { ...pairs('OTEL_EXPORTER_OTLP_HEADERS'), ...pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS') };
  if (!areHeaders(headers))
    refuse('OTEL_EXPORTER_OTLP_HEADERS', 'HTTP headers, such as authorization=Bearer%20…');
  const resource = {
    'service.name': 'vestibule',
    'service.instance.id': randomUUID(),
    ...pairs('OTEL_RESOURCE_ATTRIBUTES'),
    ...(given['OTEL_SERVICE_NAME'] !== undefined && { 'service.name': given['OTEL_SERVICE_NAME'] }),
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'vestibule',
  };
  if (problems.length > 0 || !sampler) return { traces: null, problems };
  // Often given with the path of traces, which is added to it.
  const address = own ?? `${String(base).replace(/(?:\/v1\/traces)?\/*$/, '')}/v1/traces`;
  return { traces: { address, headers, sampler: sampler(share), resource }, problems };
}

function isWebAddress(text: string): boolean {
  const url = parseUrl(text);
  // Passwords belong in a header: Node.js rejects URLs with credentials.
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Returns null for malformed input. */
function readPairs(text: string): Record<string, string> | null {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  try {
    return Object.fromEntries(
      parts.map((part) => {
        const at = part.indexOf('=');
        if (at < 1) throw new Error('no name');
        return [part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())];
      }),
    );
  } catch {
    return null;
  }
}

function areHeaders(headers: Record<string, string>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}
