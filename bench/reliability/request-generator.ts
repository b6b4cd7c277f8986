/** Generates requests from OpenAPI operations: valid, with one mutation, or hostile. */
import { randomUUID } from 'node:crypto';

export type JsonSchema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
};

export type Operation = {
  tags: string[];
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
};

type Sent = {
  address: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

export const kinds = ['valid', 'mutated', 'hostile'] as const;
type Kind = (typeof kinds)[number];

const pick = <One>(list: readonly One[]): One => list[Math.floor(Math.random() * list.length)] as One;
const chance = (share: number) => Math.random() < share;

const unreachableOrigin = 'https://127.0.0.1:9';

/** Candidates for string values; those that match the schema are used. Addresses point to this machine, domains are reserved (RFC 2606). */
const texts = () => [
  `generated.${Math.floor(Math.random() * 1_000)}@example.com`,
  'admin@example.com',
  'Änne Beispiel',
  'a',
  'en',
  'de',
  '123456',
  '#0b6653',
  'example.com',
  'example.com acme',
  'people',
  'invitation',
  'Europe/Berlin',
  `${unreachableOrigin}/hook`,
  'http://localhost:9/hook',
  'bench',
  'passkeys',
  '/people',
  'one\ntwo',
  '[{"column":"email","is":"contains","text":"a"}]',
  '[{"column":"status","is":"oneOf","values":["active"]}]',
  '[{"column":"createdAt","is":"between","from":"2026-01-01T00:00:00Z"}]',
  'abc-DEF_123',
  randomUUID(),
];
const moments = ['2026-01-01T00:00:00Z', '2026-11-24T12:00:00.123Z', '0001-01-01T00:00:00Z'];
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const nested = (depth: number): unknown => (depth === 0 ? 'deep' : [nested(depth - 1)]);
const hostileTexts = [
  '',
  ' ',
  '\0',
  '\ud800',
  'a\r\nBcc: b@example.com',
  '\u202e\u2028',
  'x'.repeat(5_000),
  "' or 1=1; --",
  '%00',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  '9999-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  '294276-12-31T00:00:00Z',
  '[{"column":"__proto__","is":"contains","text":"\\u0000"}]',
  '[{"column":"email","is":"between","from":"-infinity"}]',
  '[{"column":"joinedAt","is":"between","from":1e300}]',
  '"ı"@example.com',
  'a@xn--ls8h.example',
];
const hostileValues: unknown[] = [
  ...hostileTexts,
  null,
  true,
  -1,
  0.1,
  1e308,
  2 ** 53,
  2 ** 31,
  [],
  {},
  [null],
  nested(50),
  { toString: 'x' },
  Array.from({ length: 2_000 }, () => 'x'),
];
const hostileBodies: Sent['body'][] = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '1e999',
  '{"__proto__":{"role":"admin"}}',
  '{"constructor":{"prototype":{"role":"admin"}}}',
  '['.repeat(50_000),
  `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  JSON.stringify(
    Object.fromEntries(Array.from({ length: 10_000 }, (_, number) => [`key ${number}`, number])),
  ),
  JSON.stringify({ email: 'x'.repeat(300_000) }),
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
];
const hostileHeaders: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'application/json; charset=utf-16' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer vst_nothing' },
  { authorization: `Bearer ${'x'.repeat(60_000)}` },
  { 'accept-language': 'x'.repeat(2_000), accept: 'nothing/at-all' },
  { cookie: '__Host-session=x; a=%; =' },
  { 'if-match': '*', 'if-none-match': '*', range: 'bytes=-1' },
  { 'x-forwarded-for': 'nowhere', 'x-forwarded-host': 'example.com' },
];
const hostileQueries = [
  '__proto__=x',
  'limit=1&limit=2',
  'sort[]=email',
  'a=%ff',
  '%',
  `a=${'x'.repeat(9_000)}`,
];

/** `idOf` returns an id that may exist. */
export function generateRequest(
  [method, path, operation]: readonly [method: string, path: string, operation: Operation],
  kind: Kind,
  idOf: () => string,
): Sent {
  const place = kind === 'mutated' ? pick(['path', 'query', 'header', 'body', 'body']) : undefined;
  const valueIn = (where: string, schema: JsonSchema, example?: unknown): unknown => {
    const value = example !== undefined && chance(0.3) ? fromExample(example, idOf) : valueOf(schema, idOf);
    return place === where || (kind === 'hostile' && chance(0.4)) ? mutate(value) : value;
  };
  let address = path;
  const query = new URLSearchParams();
  const headers: Sent['headers'] = {};
  for (const { name, in: where, required, schema } of operation.parameters) {
    const isGiven = required ? kind === 'valid' || chance(0.9) : chance(0.4);
    if (where === 'path') address = address.replace(`{${name}}`, toPathSegment(valueIn('path', schema)));
    else if (!isGiven) continue;
    else if (where === 'query') query.append(name, toText(valueIn('query', schema)));
    else headers[name] = toText(valueIn('header', schema)).replaceAll(/[^\x20-\x7e]/g, '?');
  }
  if (query.size > 0) address += `?${query.toString()}`;
  const sent: Sent = { address, headers };
  const described = operation.requestBody?.content['application/json'];
  if (described) {
    headers['content-type'] = 'application/json';
    sent.body = JSON.stringify(valueIn('body', described.schema, described.example)) ?? '';
  }
  if (kind === 'hostile') makeHostile(sent, method);
  return sent;
}

function makeHostile(sent: Sent, method: string): void {
  if (chance(0.3)) sent.address += (sent.address.includes('?') ? '&' : '?') + pick(hostileQueries);
  if (method !== 'get' && chance(0.4)) {
    sent.headers['content-type'] = 'application/json';
    sent.body = pick(hostileBodies) ?? '';
  }
  if (chance(0.3)) Object.assign(sent.headers, pick(hostileHeaders));
}

/** Returns the example of the document with ids that may exist and unreachable addresses. */
function fromExample(example: unknown, idOf: () => string): unknown {
  const text = JSON.stringify(example)
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, idOf)
    .replaceAll(/https?:\/\/[^/"]+/g, unreachableOrigin);
  return JSON.parse(text);
}

function valueOf(schema: JsonSchema, idOf: () => string): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return valueOf(pick(choices), idOf);
  switch (Array.isArray(schema.type) ? pick(schema.type) : schema.type) {
    case 'object':
      return objectOf(schema, idOf);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 3 } = schema;
      const length = minItems + Math.floor(Math.random() * (Math.min(maxItems, minItems + 2) - minItems + 1));
      return Array.from({ length }, () => valueOf(items, idOf));
    }
    case 'string':
      return textOf(schema, idOf);
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 1e9 } = schema;
      return pick([minimum, Math.min(maximum, minimum + 1), Math.min(maximum, minimum + 20), maximum]);
    }
    case 'boolean':
      return chance(0.5);
    case 'null':
      return null;
    default:
      return pick(['a', 1, null]);
  }
}

function objectOf(schema: JsonSchema, idOf: () => string): Record<string, unknown> {
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema;
  const value: Record<string, unknown> = {};
  const share = pick([0, 0.1, 0.5, 1]);
  for (const [name, property] of Object.entries(properties))
    if (required.includes(name) || chance(share)) value[name] = valueOf(property, idOf);
  if (typeof additionalProperties === 'object' && propertyNames && chance(0.5))
    value[toText(valueOf(propertyNames, idOf))] = valueOf(additionalProperties, idOf);
  return value;
}

function textOf(schema: JsonSchema, idOf: () => string): string {
  const { format, minLength = 0, maxLength = Infinity } = schema;
  if (format === 'uuid') return idOf();
  if (format === 'date-time') return pick(moments);
  if (format === 'base64') return picture;
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({ pattern }) =>
    pattern === undefined ? [] : [new RegExp(pattern, 'u')],
  );
  const fit = [...texts(), idOf(), 'a'.repeat(Math.min(maxLength, 2_000))].filter(
    (text) =>
      text.length >= minLength && text.length <= maxLength && patterns.every((pattern) => pattern.test(text)),
  );
  return fit.length > 0 ? pick(fit) : 'a'.repeat(minLength);
}

function mutate(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || chance(0.1)) return pick(hostileValues);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  const names = Object.keys(copy);
  if (names.length === 0 || chance(0.1)) copy[pick(['unknown', 'role', '0'])] = pick(hostileValues);
  else if (chance(0.15)) delete copy[pick(names)];
  else {
    const name = pick(names);
    copy[name] = mutate(copy[name]);
  }
  return copy;
}

const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Never empty, dots only or too long: these would be other paths. */
function toPathSegment(value: unknown): string {
  const text = toText(value).slice(0, 60).toWellFormed();
  return /^\.*$/.test(text) ? '%' : encodeURIComponent(text);
}
