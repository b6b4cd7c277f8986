/** The API description is complete, valid, consistent with the responses, and readable (statement H5). */
import { getConfiguration } from '@vestibule/contract/configuration';
import { invite, listInvitations, renewInvitation, revokeInvitation } from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { getMe } from '@vestibule/contract/profile/me';
import { changeRole, listPeople, removePerson } from '@vestibule/contract/people';
import type { RouteDefinition } from '@vestibule/contract/route';
import {
  startCodeConfirmation,
  startPasskeyConfirmation,
  confirmByCode,
  confirmByPasskey,
} from '@vestibule/contract/sign-in/confirm';
// Ajv is installed with Fastify, in a version that supports the JSON Schema dialect of OpenAPI 3.1.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { contractRoutes } from '../../test/test-routes.ts';
import type { OpenApiDocument, OpenApiOperation } from './openapi.ts';

const t = await createTestApp();
const admin = await t.join('admin@example.com', 'admin');
const response = await t.app.inject('/api/openapi.json');
const document = response.json<OpenApiDocument>();
const api = withoutReferences(document) as OpenApiDocument;
afterAll(() => t.close());

/** Replaces each reference by its component. */
function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutReferences(part)]));
  const [, ...keys] = $ref.split('/');
  const component = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
  if (component === undefined) throw new Error(`${$ref} does not exist`);
  return withoutReferences(component);
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

function operationOf(route: RouteDefinition): OpenApiOperation | undefined {
  return api.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
}
/** Returns the differences between a response and its description. */
function misfits(route: RouteDefinition, status: number, body: unknown): unknown[] {
  const described = operationOf(route)?.responses[status]?.content['application/json'];
  if (!described) return [`${route.path} describes no ${status}`];
  ajv.validate(status === 200 ? described.schema : (api.components.schemas['ErrorAnswer'] as object), body);
  const problems: unknown[] = ajv.errors ?? [];
  const { code = '' } = body as { code?: string };
  return status === 200 || code in (described.examples ?? {})
    ? problems
    : [...problems, `${code} is unknown`];
}

const operations = () => Object.values(api.paths).flatMap((methods) => Object.values(methods));

test('the description contains exactly the routes of the contract, and all of them are mounted', () => {
  expect(contractRoutes.filter((route) => !operationOf(route))).toEqual([]);
  expect(operations()).toHaveLength(contractRoutes.length);
  for (const { method, path: url } of contractRoutes) expect(t.app.hasRoute({ method, url })).toBe(true);
});

test('a route below /api/ without an access level cannot be mounted', async () => {
  const { createHttpServer } = await import('../http/http-server.ts');
  const app = createHttpServer({
    logger: t.app.log as never,
    trustProxy: false,
    publicUrl: t.config.publicUrl,
  });
  expect(() => app.get('/api/open', () => 'secret')).toThrow('does not say who may call it');
});

describe('the description', () => {
  test('has the structure of OpenAPI 3.1', () => {
    expect(api).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Vestibule API', version: expect.any(String) },
      servers: [{ url: 'https://portal.example.com' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          personalToken: { type: 'http', scheme: 'bearer' },
        },
      },
    });
    for (const [path, methods] of Object.entries(api.paths)) {
      expect(path).toMatch(/^\/api\//);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const operation of Object.values(methods)) {
        const inPath = operation.parameters.filter((one) => one.in === 'path');
        expect(inPath.map(({ name }) => name)).toEqual(named);
        expect(inPath.every(({ required }) => required)).toBe(true);
        expect(operation.summary).toMatch(/\.$/);
        expect(operation.responses['200']).toBeDefined();
        expect(operation.responses['500']).toBeDefined();
      }
    }
  });

  test('has schemas that compile and valid examples of errors', () => {
    const isErrorResponse = ajv.compile(api.components.schemas['ErrorAnswer'] as object);
    for (const operation of operations()) {
      for (const { schema } of operation.parameters)
        ajv.compile((schema['contentSchema'] as object) ?? schema);
      if (operation.requestBody)
        ajv.compile(operation.requestBody.content['application/json']?.schema as object);
      const { 200: done, ...errors } = operation.responses;
      for (const { schema } of Object.values(done?.content ?? {})) ajv.compile(schema);
      for (const { content } of Object.values(errors))
        for (const { value } of Object.values(content['application/json']?.examples ?? {}))
          expect(isErrorResponse(value)).toBe(true);
    }
  });

  test('names every call by its route and describes every parameter', () => {
    expect(operationOf(listPeople)?.operationId).toBe('listPeople');
    expect(new Set(operations().map(({ operationId }) => operationId)).size).toBe(contractRoutes.length);
    for (const { summary, parameters } of operations()) {
      expect(summary).not.toMatch(/\([A-Z]\d+\)/);
      for (const { name, description = '' } of parameters)
        expect([name, description]).toEqual([name, expect.stringMatching(/\S/)]);
    }
  });

  test('describes filters as JSON text with the columns of the list', () => {
    const filters = operationOf(listPeople)?.parameters.find(({ name }) => name === 'filters');
    const isValid = ajv.compile(filters?.schema['contentSchema'] as object);
    expect(isValid([{ column: 'email', is: 'contains', text: 'ann' }])).toBe(true);
    expect(isValid([{ column: 'email', is: 'equals', text: 'ann' }])).toBe(false);
    expect(isValid([{ column: 'shoeSize', is: 'empty' }])).toBe(false);
  });

  test('names shared schemas by the contract and contains equal errors once', () => {
    const described = document.paths[listInvitations.path]?.['get']?.responses;
    expect(described?.[200]).toMatchObject({
      content: {
        'application/json': {
          schema: { properties: { rows: { items: { $ref: '#/components/schemas/ListedInvitation' } } } },
        },
      },
    });
    expect(described?.[500]).toEqual({ $ref: '#/components/responses/Error500' });
    for (const components of Object.values(document.components)) {
      const contents = Object.values(components).map((component) => JSON.stringify(component));
      expect(contents).toEqual([...new Set(contents)]);
    }
  });

  test('requires a body unless all its fields are optional', () => {
    expect(operationOf(invite)?.requestBody?.required).toBe(true);
    expect(operationOf(renewInvitation)?.requestBody?.required).toBe(false);
  });

  test('requires a sign-in for exactly the routes that need one', () => {
    for (const route of contractRoutes) {
      const operation = operationOf(route) as OpenApiOperation;
      expect(operation.security).toEqual([
        ...(route.access === 'public' ? [] : [{ bearer: [] }, { session: [] }]),
        ...(route.scope ? [{ personalToken: [route.scope] }] : []),
        ...(typeof route.access === 'object' ? [{ personalToken: [route.access.permission] }] : []),
      ]);
      expect('401' in operation.responses).toBe(route.access !== 'public');
      const refuses = route.errors?.some(({ status }) => status === 403) ?? false;
      expect('403' in operation.responses).toBe(route.access !== 'public' || refuses);
    }
  });
});

const passkeyResponse = {
  id: 'x',
  rawId: 'x',
  type: 'public-key' as const,
  clientExtensionResults: {},
  response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
};

test('responses and errors match the description', async () => {
  const token = admin.token;
  const ann = await t.join('ann@example.com');
  const calls: [RouteDefinition, () => Promise<{ status: number; body: unknown }>][] = [];
  const add = <R extends RouteDefinition>(route: R, request: Parameters<typeof t.call<R>>[1]) =>
    calls.push([route, () => t.call(route, request)]);
  const { body: invited } = await t.call(invite, { token, body: { email: 'bob@example.com' } });
  add(getConfiguration, {});
  add(getMe, { token });
  add(getMe, {});
  add(getMe, { token: await t.mint({ sub: 'x', emails: ['x@example.com'] }) });
  add(listPeople, { token });
  add(listPeople, { token: ann.token });
  add(listPeople, { token, query: { limit: 0 } });
  add(listInvitations, { token });
  add(invite, { token, body: { email: 'carl@example.com' } });
  add(invite, { token, body: { email: 'bob@example.com' } });
  add(invite, { token, body: { email: 'nonsense' } });
  add(revokeInvitation, { token, params: { invitationId: invited.id } });
  add(changeRole, { token, params: { personId: ann.id }, body: { role: 'admin' } });
  add(removePerson, { token, params: { personId: '0192f0c1-2345-7abc-8def-0123456789ab' } });
  // A caller with a token has no session to confirm.
  add(startPasskeyConfirmation, { token, body: {} });
  add(confirmByPasskey, { token, body: { response: passkeyResponse } });
  add(startCodeConfirmation, { token, body: {} });
  add(confirmByCode, { token, body: { attempt: admin.id, code: '123456' } });
  for (let time = 0; time < 11; time += 1) add(getInviteToken, { body: { code: 'wrong' } });

  const seen = new Set<number>();
  for (const [route, call] of calls) {
    const { status, body } = await call();
    seen.add(status);
    expect(misfits(route, status, body)).toEqual([]);
  }
  expect(seen).toEqual(new Set([200, 400, 401, 403, 404, 409, 429]));
});

describe('the readable page', () => {
  test('shows every route and error, without scripts or further resources', async () => {
    const { payload, headers } = await t.app.inject('/api/docs');
    for (const route of contractRoutes) {
      expect(payload).toContain(route.path.replaceAll(/:(\w+)/g, '{$1}'));
      for (const { code } of route.errors ?? []) expect(payload).toContain(code);
    }
    expect(payload).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|url\(|@import|style="/i);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(payload).toContain('prefers-color-scheme:dark');
  });

  test('shows a product name as text', async () => {
    const named = await createTestApp({
      sharedWith: t,
      environment: { PRODUCT_NAME: '<b onclick=x>"Portal"&' },
    });
    const { payload } = await named.app.inject('/api/docs');
    expect(payload).toContain('<title>&lt;b onclick=x&gt;&quot;Portal&quot;&amp; API</title>');
    await named.close();
  });
});
