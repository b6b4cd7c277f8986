/** Derives the OpenAPI 3.1 document from the contract's routes (statement H5), so that it always matches the server. */
import { organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { Access, ErrorDefinition, RouteDefinition } from '@vestibule/contract/route';
import { Message } from '@vestibule/contract/texts/text';
import type * as z from 'zod/mini';
import { toJSONSchema } from 'zod/mini';
import { parameterDescriptions } from './parameter-descriptions.ts';

export type JsonSchema = Record<string, unknown>;

/** Keyed by media type. */
type Content = Record<string, { schema: JsonSchema; examples?: Record<string, { value: unknown }> }>;

type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
};

export type OpenApiOperation = {
  operationId: string;
  summary: string;
  tags: string[];
  'x-access': Extract<Access, string>;
  /** Permission within an organization. */
  'x-permission'?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content: Content }>;
};

export type OpenApiDocument = {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
};

const errorResponseSchema: JsonSchema = {
  type: 'object',
  description: 'Body of every error. Search the server log for `requestId`.',
  properties: {
    code: { type: 'string', description: 'What programs switch on: `area.reason`.' },
    message: { type: 'string', description: 'A sentence for people: what happened and what to do next.' },
    values: {
      type: 'object',
      additionalProperties: { type: ['string', 'number'] },
      description: 'What fills the gaps in the sentence: days and times in ISO 8601, sizes in bytes.',
    },
    requestId: { type: 'string' },
    fields: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'What is wrong with which field of the request.',
    },
    fieldTexts: {
      type: 'object',
      additionalProperties: jsonSchema(Message, 'output'),
      description: 'The same with codes and values, where a person can have caused it.',
    },
  },
  required: ['code', 'message', 'requestId'],
  additionalProperties: false,
};

const description =
  'Every call of this installation. Programs send a personal access token (`vst_…`) in the header ' +
  '`Authorization: Bearer <token>`, on calls that name a scope or a permission. The pages of this site use the ' +
  'cookie of the session, or an access token of Azure AD B2C in the same header. Times are ISO 8601 with time ' +
  'zone, identifiers are UUIDs. Unknown query parameters and fields get 400.';

/** Creates the OpenAPI document. `signInErrors` are the errors with which every route that requires a sign-in can respond. */
export function describeApi(
  routes: RouteDefinition[],
  options: {
    title: string;
    publicUrl: string;
    signInErrors: ErrorDefinition[];
    /** Name of the session's cookie. */
    cookie: string;
    /** Names of routes by request line, for `operationId`. Others are named by their request line. */
    names: ReadonlyMap<string, string>;
  },
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = {
      operationId: options.names.get(`${route.method} ${route.path}`) ?? nameOf(route),
      ...describeRoute(route, options.signInErrors),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: `${options.title} API`, version: '1', description },
    servers: [{ url: options.publicUrl }],
    paths,
    components: {
      schemas: { ErrorAnswer: errorResponseSchema },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token of Azure AD B2C, as the browser has it.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: options.cookie,
          description:
            'The session of a browser. Calls that change something are accepted from pages of this site only.',
        },
        personalToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'vst_…',
          description:
            "An administrator's personal access token, created under Settings, or a member's token of one organization. Accepted by calls that name its scope or permission.",
        },
      },
    },
  };
}

/** Returns a name such as `getTicketsByTicketId`. */
function nameOf({ method, path }: RouteDefinition): string {
  const words = path.replaceAll(/:(\w)/g, 'by-$1').split(/[^A-Za-z0-9]+/);
  return (
    method.toLowerCase() +
    words
      .slice(2)
      .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
      .join('')
  );
}

const describeRoute = (
  route: RouteDefinition,
  signInErrors: ErrorDefinition[],
): Omit<OpenApiOperation, 'operationId'> => ({
  summary: route.summary,
  tags: [route.path.split('/')[2] ?? ''],
  ...(typeof route.access === 'string'
    ? { 'x-access': route.access }
    : { 'x-access': 'member', 'x-permission': route.access.permission }),
  security: [
    ...(route.access === 'public' ? [] : [{ bearer: [] }, { session: [] }]),
    ...(route.scope === undefined ? [] : [{ personalToken: [route.scope] }]),
    ...(typeof route.access === 'string' ? [] : [{ personalToken: [route.access.permission] }]),
  ],
  parameters: [
    ...parameters('path', route.params),
    ...parameters('query', route.query),
    ...parameters('header', route.headers),
  ],
  ...(route.body && {
    requestBody: {
      required: !route.body.safeParse({}).success,
      content: { 'application/json': { schema: jsonSchema(route.body, 'input') } },
    },
  }),
  responses: {
    200: {
      description: 'Done.',
      content: route.media
        ? Object.fromEntries(route.media.map((type) => [type, { schema: streamSchema(type) }]))
        : { 'application/json': { schema: jsonSchema(route.response, 'output') } },
    },
    ...errorResponses(errorsOf(route, signInErrors)),
  },
});

/** Describes text as text, and other files as binary. */
const streamSchema = (type: string): JsonSchema =>
  type.startsWith('text/') ? { type: 'string' } : { type: 'string', contentMediaType: type };

function errorsOf(route: RouteDefinition, signInErrors: ErrorDefinition[]): ErrorDefinition[] {
  const errors = requestErrors;
  return [
    ...(route.params || route.query || route.headers || route.body ? [errors.invalid] : []),
    errors.malformed,
    ...(route.method === 'GET' ? [] : [errors.unsupportedType, errors.compressed, errors.tooLarge]),
    ...(route.access === 'public' ? [] : [errors.signInNeeded, errors.providerUnreachable, ...signInErrors]),
    ...(route.access === 'admin' ? [errors.adminNeeded] : []),
    ...(typeof route.access === 'object' ? Object.values(organizationAccessErrors) : []),
    ...(route.requiresRecentAuth ? [errors.notFresh] : []),
    ...(route.requiresRecentAuth && route.scope !== undefined ? [errors.administratorScopeMissing] : []),
    ...(route.addsSignInMethod ? [errors.signInTimeUnknown] : []),
    ...(route.errors ?? []),
    errors.unexpected,
    errors.unavailable,
  ];
}

function errorResponses(errors: ErrorDefinition[]): OpenApiOperation['responses'] {
  const responses: OpenApiOperation['responses'] = {};
  for (const [status, group] of Map.groupBy(errors, (error) => String(error.status))) {
    responses[status] = {
      description: group.map((error) => error.message).join(' / '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ErrorAnswer' },
          examples: Object.fromEntries(
            group.map(({ code, message }) => [
              code,
              { value: { code, message, requestId: '6f1b2c3d4e5f6071' } },
            ]),
          ),
        },
      },
    };
  }
  return responses;
}

function parameters(place: Parameter['in'], schema: z.ZodMiniObject | undefined): Parameter[] {
  if (!schema) return [];
  type Described = { properties?: Record<string, JsonSchema>; required?: string[] };
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as Described;
  const { properties: parsed = {} } = jsonSchema(schema, 'output') as Described;
  return Object.entries(properties).map(([name, property]) => {
    const explanation = parameterDescriptions[name];
    const value = parsed[name];
    const isJson = property['type'] === 'string' && value?.['type'] === 'array';
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(explanation !== undefined && { description: explanation }),
      // A parameter with "content" would be correct too, but openapi-fetch and hey-api cannot send it.
      schema: isJson ? { ...property, contentMediaType: 'application/json', contentSchema: value } : property,
    };
  });
}

/** Returns the JSON Schemas of the named objects and enumerations. */
export const describeSchemas = (named: [name: string, schema: z.ZodMiniType][]): [string, JsonSchema][] =>
  named
    .flatMap(([name, schema]) =>
      (['output', 'input'] as const).map((io): [string, JsonSchema] => [name, jsonSchema(schema, io, 'any')]),
    )
    .filter(([, { type, enum: values }]) => type === 'object' || values !== undefined);

function jsonSchema(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  unrepresentable: 'throw' | 'any' = 'throw',
): JsonSchema {
  const { $schema: _, ...rest } = toJSONSchema(schema, {
    io,
    unrepresentable,
    override({ jsonSchema: made }) {
      // The regular expression is long and adds no information to the format.
      if (made.format) delete made.pattern;
    },
  });
  return rest;
}
