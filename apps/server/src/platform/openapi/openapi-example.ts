/**
 * Generates an example of a request or response from its schema. Property names determine the values. A request schema
 * that does not accept the generated example gets no example.
 */
import type * as z from 'zod/mini';

type Described = Record<string, unknown>;

const byName: Record<string, string | number | boolean | null> = {
  email: 'ann@example.com',
  displayName: 'Ann Example',
  DisplayName: 'Ann Example',
  Email: 'ann@example.com',
  name: 'Ann Example',
  message: 'Welcome!',
  actor: 'admin@example.com',
  owner: 'admin@example.com',
  invitedBy: 'admin@example.com',
  createdBy: 'admin@example.com',
  target: 'ann@example.com',
  label: 'ann@example.com',
  reason: 'Is a member already.',
  address: '203.0.113.7',
  lastAddress: '203.0.113.7',
  browser: 'Firefox',
  system: 'Windows',
  requestId: '6f1b2c3d4e5f6071',
  targetId: '0192f0c1-2345-7abc-8def-0123456789ab',
  targetType: 'person',
  action: 'person.role_changed',
  token: 'vst_0Xq3…',
  tokenName: 'Nightly import',
  url: 'https://example.com/hook',
  description: 'Payroll',
  secret: 'whsec_0Xq3…',
  link: 'https://portal.example.com/signup?i=…',
  theme: 'daylight',
  Theme: 'daylight',
  Language: 'en',
  to: 'bob@example.com',
  handOverTo: 'bob@example.com',
  days: 90,
  keepInvitationsDays: 365,
  keepSignInsDays: 365,
  keepActivityDays: 730,
  lifetimeDays: 14,
  'idempotency-key': '3f0c1f0e-import-2026-11-21',
  productName: 'Portal',
  accentColor: '#0b6653',
  senderName: 'Portal',
  senderAddress: 'portal@example.com',
  allowedDomain: 'example.com',
  signInDomain: 'example.com acme',
  way: 'acme',
  language: 'en',
  supportEmail: 'support@example.com',
};

/** Returns undefined if no valid example can be generated. */
export function exampleOf(schema: z.ZodMiniType, described: Described, io: 'input' | 'output'): unknown {
  const example = sample(described, '');
  // Responses are described in serialized form, which their schema accepts too.
  return example !== undefined && (io === 'output' || schema.safeParse(example).success)
    ? example
    : undefined;
}

function sample(schema: Described, name: string): unknown {
  const {
    type: types,
    format,
    properties,
    required,
    additionalProperties,
    items,
    anyOf,
    oneOf,
    minimum,
    pattern,
  } = schema as {
    type?: string | string[];
    format?: string;
    properties?: Record<string, Described>;
    required?: string[];
    additionalProperties?: Described | false;
    items?: Described;
    anyOf?: Described[];
    oneOf?: Described[];
    minimum?: number;
    pattern?: string;
  };
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const choices = anyOf ?? oneOf;
  if (choices) return sample(choices.find((one) => one['type'] !== 'null') ?? {}, name);
  switch ([types].flat()[0]) {
    case 'object':
      return Object.fromEntries([
        ...(required ?? []).map((property) => [property, sample(additionalProperties || {}, property)]),
        ...Object.entries(properties ?? {}).map(([property, value]) => [property, sample(value, property)]),
      ]);
    case 'array':
      return items ? [sample(items, singular(name))] : [];
    case 'string':
      if (format === 'uuid' || name === 'id' || name === 'except')
        return '0192f0c1-2345-7abc-8def-0123456789ab';
      if (format === 'date-time') return '2026-11-21T08:30:00.000Z';
      if (pattern === String.raw`^\d{6}$`) return '482913';
      return byName[name] ?? schema['default'] ?? 'text';
    case 'number':
    case 'integer':
      return byName[name] ?? schema['default'] ?? Math.max(minimum ?? 1, 1);
    case 'boolean':
      return schema['default'] ?? false;
    case 'null':
      return null;
    default:
      return {};
  }
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}
