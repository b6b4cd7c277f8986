/** Sends requests generated from the OpenAPI document: no response is a 5xx, and every response matches the document. */
import { randomBytes, randomUUID } from 'node:crypto';
// Ajv is a dependency of Fastify, in a version that supports the JSON Schema dialect of OpenAPI 3.1.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { uploadsPath } from '@vestibule/contract/attachments';
import type { Figure } from '../report/figure.ts';
import { generateRequest, kinds, type JsonSchema, type Operation } from './request-generator.ts';
import { createFailureFigure, type Site } from './site.ts';

type Described = Operation & {
  responses: Record<
    string,
    { content: Record<string, { schema: JsonSchema; examples?: Record<string, unknown> }> }
  >;
};
type OpenApi = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: { ErrorAnswer: JsonSchema } };
};

const lanes = 8;
const callers = ['anonymous', 'member', 'admin'] as const;
const timeoutMs = 30_000;

export async function sendGeneratedRequests(site: Site, requests: number): Promise<Figure[]> {
  const server = await site.start(0);
  const api = (await (await fetch(`${site.urls[0]}/api/openapi.json`)).json()) as OpenApi;
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
  );
  const checkResponse = createResponseCheck(api);
  const ids = createIdPool();
  const nextCase = createShuffledCycle(
    operations.flatMap((operation) =>
      callers.flatMap((caller) => kinds.map((kind) => ({ operation, caller, kind }))),
    ),
  );
  const counts = { broken: 0, undescribed: 0, done: 0, refused: 0 };
  const succeeded = new Set<string>();
  let number = 0;

  async function enter(caller: 'member' | 'admin', tries = 10): Promise<string> {
    number += 1;
    const email = `${caller}.${number}@generated.example.com`;
    const token = await site.join(email, caller).catch((error: unknown) => {
      // A generated request of an administrator may have revoked all invitations.
      if (tries === 1) throw error;
    });
    if (token === undefined) return enter(caller, tries - 1);
    const uploaded = await fetch(site.urls[0] + uploadsPath, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '4',
        'upload-metadata': `name ${btoa('generated.txt')}`,
        'content-type': 'application/offset+octet-stream',
      },
      body: 'text',
    });
    ids.note(['attachments'], caller, uploaded.headers.get('location') ?? '');
    return token;
  }
  const inside = { member: enter('member'), admin: enter('admin') };

  async function sendNextCase(): Promise<void> {
    const { operation, caller, kind } = nextCase();
    const [method, path, { tags, responses }] = operation;
    const { address, headers, body } = generateRequest(operation, kind, () => ids.pick(tags, caller));
    const entered = caller === 'anonymous' ? undefined : inside[caller];
    const token = await entered;
    const answer = await fetch(site.urls[0] + address, {
      method: method.toUpperCase(),
      headers: {
        // A random client address per request, because of rate limits per address.
        'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}`,
        'sec-fetch-site': 'same-origin',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }).then(read, (error: unknown) => `no answer: ${String((error as Error).cause ?? error)}`);
    if (typeof answer === 'object') {
      ids.note(tags, caller, answer.text);
      counts[answer.status === 200 ? 'done' : 'refused'] += 1;
      if (answer.status === 200) succeeded.add(`${method} ${path}`);
      // A generated request removed, disabled or signed out the caller, or changed the role: continue with a new person.
      if (caller !== 'anonymous' && inside[caller] === entered && hasLostAccess(caller, answer))
        inside[caller] = enter(caller);
    }
    const problem = typeof answer === 'string' ? answer : checkResponse(responses, answer);
    if (problem === undefined) return;
    counts[typeof answer === 'object' && answer.status < 500 ? 'undescribed' : 'broken'] += 1;
    console.error(
      `${caller}, ${kind}: ${method} ${address.slice(0, 400)} ${JSON.stringify(headers).slice(0, 300)} ${String(body).slice(0, 600)}\n  → ${problem}`,
    );
  }

  const turns = Array.from({ length: requests }).values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const _ of turns) await sendNextCase();
    }),
  );
  const errors = (await server.output()).split('\n').filter((line) => line.includes('"level":50'));
  if (counts.broken > 0) console.error(errors.slice(0, 20).join('\n'));
  await server.stop();
  const never = operations
    .map(([method, path]) => `${method} ${path}`)
    .filter((name) => !succeeded.has(name));
  console.log(`Operations that never succeeded: ${never.join(', ')}`);
  return [
    createFailureFigure(
      `${requests} requests generated from the OpenAPI document (${counts.done} answered 200, ${counts.refused} refused): answers 5xx, or none`,
      counts.broken,
    ),
    createFailureFigure('… answers off the documented status, code or schema', counts.undescribed),
    {
      name: `… operations of ${operations.length} that were done at least once`,
      measured: succeeded.size,
      unit: 'times',
      // At least half of the operations have to succeed, otherwise only rejections are tested.
      limit: { at: 'least', value: Math.floor(operations.length / 2) },
    },
  ];
}

type Answer = { status: number; type: string; text: string };

const hasLostAccess = (caller: string, { status, text }: Answer) =>
  (status === 401 || status === 403) &&
  (text.includes('"code":"person.') || (caller === 'admin' && text.includes('"code":"access.admin_needed"')));

/** Reads a response; of an event stream only the headers. */
async function read(answer: Response): Promise<Answer> {
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'none';
  if (type !== 'text/event-stream') return { status: answer.status, type, text: await answer.text() };
  await answer.body?.cancel();
  return { status: answer.status, type, text: '' };
}

/** Returns a function that compares a response with its operation and returns the problem, if any. */
function createResponseCheck({ components }: OpenApi) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map<JsonSchema, ValidateFunction>();
  const findSchemaErrors = (schema: JsonSchema, value: unknown) => {
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
  return (responses: Described['responses'], { status, type, text }: Answer): string | undefined => {
    if (status >= 500) return `${status} ${text}`;
    const content = responses[status]?.content;
    const described = content?.[type];
    if (!described) return `${status} ${type} is not described: ${text.slice(0, 300)}`;
    if (type !== 'application/json' || 'contentMediaType' in described.schema) return undefined;
    const value = JSON.parse(text) as { code?: string };
    const schemaErrors = findSchemaErrors(
      status === 200 ? described.schema : components.schemas.ErrorAnswer,
      value,
    );
    if (schemaErrors !== undefined) return `${status} ${schemaErrors}: ${text.slice(0, 1_000)}`;
    const isKnown = status === 200 || (value.code ?? '') in (described.examples ?? {});
    return isKnown ? undefined : `${status} with a code that is not described: ${text}`;
  };
}

/** Pool of ids found in responses. Prefers recent ids that the same caller received from the same area. */
function createIdPool() {
  const known = new Map<string, string[]>();
  return {
    note([area = '']: string[], caller: string, text: string): void {
      const found = text.match(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g)?.slice(0, 20) ?? [];
      const name = `${caller} ${area}`;
      known.set(name, [...new Set([...found, ...(known.get(name) ?? [])])].slice(0, 100));
    },
    pick([area = '']: string[], caller: string): string {
      const fromAnyArea = Math.random() < 0.2;
      const list = fromAnyArea ? [...known.values()].flat() : (known.get(`${caller} ${area}`) ?? []);
      return list[Math.floor(Math.random() ** 2 * list.length * 1.1)] ?? randomUUID();
    },
  };
}

/** Returns each item once in random order, then starts over in another order. */
function createShuffledCycle<One>(list: readonly One[]): () => One {
  let waiting: One[] = [];
  return () => {
    if (waiting.length === 0)
      waiting = list
        .map((one) => ({ one, at: Math.random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ one }) => one);
    return waiting.pop() as One;
  };
}
