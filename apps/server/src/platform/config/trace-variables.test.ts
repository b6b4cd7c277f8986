/** Environment variables of OpenTelemetry. */
import { describe, expect, test } from 'vitest';
import { readConfig } from './read-config.ts';
import { readTraces } from './trace-variables.ts';

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  ['nothing is set', {}],
  ['no address is set', { OTEL_SERVICE_NAME: 'portal', OTEL_TRACES_SAMPLER: 'nonsense' }],
  ['OTEL_SDK_DISABLED is true', { ...collector, OTEL_SDK_DISABLED: 'true' }],
  ['OTEL_TRACES_EXPORTER is none', { ...collector, OTEL_TRACES_EXPORTER: 'none' }],
])('tracing is off if %s', (_, given) => {
  expect(readTraces(given)).toEqual({ traces: null, problems: [] });
});

test.each([
  [collector, 'http://collector:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example.com/otlp/' }, 'https://c.example.com/otlp/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/v1/traces' }, 'http://collector:4318/v1/traces'],
  [{ ...collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://tempo/in' }, 'https://tempo/in'],
])('traces are sent to the address in %o', (given, address) => {
  expect(readTraces(given).traces?.address).toBe(address);
});

test('headers, names and the sampler are read as OpenTelemetry specifies', () => {
  const { traces } = readTraces({
    ...collector,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc%3D, x-org = 7',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-org=8',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other,team=a%2Cb',
    OTEL_SERVICE_NAME: 'portal',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  });
  expect(traces?.headers).toEqual({ authorization: 'Bearer abc=', 'x-org': '8' });
  expect(traces?.sampler).toEqual({ followsParent: true, share: 0.1 });
  expect(traces?.resource).toMatchObject({
    'service.name': 'portal',
    'deployment.environment.name': 'test',
    team: 'a,b',
  });
  expect(readTraces(collector).traces).toMatchObject({
    sampler: { followsParent: true, share: 1, perSecond: 100 },
    resource: { 'service.name': 'vestibule' },
  });
  const all = readTraces({ ...collector, OTEL_TRACES_SAMPLER: 'parentbased_always_on' });
  expect(all.traces?.sampler).toEqual({ followsParent: true, share: 1 });
});

describe('invalid variables', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://user:word@collector'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER', 'constructor'],
    ['OTEL_TRACES_SAMPLER_ARG', '10 %'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a word'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x=a%0aword'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team=%word'],
  ])('the error for %s=%s names the variable and omits its value', (variable, value) => {
    const complaint = () => readConfig({ ...collector, [variable]: value });
    expect(complaint).toThrow(`  ${variable}: should be `);
    expect(complaint).not.toThrow('word');
  });
});
