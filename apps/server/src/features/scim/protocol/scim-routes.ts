/**
 * SCIM 2.0 (RFC 7643 and 7644) at `/scim/v2`, as Entra ID and Okta speak it, for the directory's token alone. What a request
 * means for people is decided in users.ts and groups.ts.
 */
import { scimPath } from '@vestibule/contract/directory';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Timed } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { DirectoryGroups } from '../groups.ts';
import type { By } from '../user-access.ts';
import type { DirectoryUsers } from '../users.ts';
import { findGroup, listGroups, listMembers, type GroupRow } from '../group-store.ts';
import { findUser, listUsers, type UserRow } from '../user-store.ts';
import {
  listResponse,
  pageMaximum,
  resourceTypes,
  schemaResources,
  serviceProviderConfig,
} from './discovery.ts';
import { readGroupChanges } from './group-changes.ts';
import { changesOf, fieldOf, readPatch, requireObject, type Change } from './patch.ts';
import {
  isUnchanged,
  partOf,
  readAsked,
  requireSeenGroup,
  requireSeenUser,
  toGroup,
  toUser,
  wants,
  type Resource,
} from './resources.ts';
import { answerScimFailures, noSuchAddress, noSuchResource, scimMedia, wrong } from './scim-failure.ts';
import { changeUser, nobody, type UserAttributes } from './user-attributes.ts';

const bodyMaximum = 1024 * 1024;
/** Of Entra ID, 25 a second are to be expected. */
const requestsPerMinute = 6_000;
const config = { access: 'directory' as const };
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Query = Partial<Record<'filter' | 'startIndex' | 'count' | 'attributes' | 'excludedAttributes', string>>;
type Request = FastifyRequest<{ Params: { id: string }; Querystring: Query }>;

export function serveScim(
  app: FastifyInstance,
  deps: Timed & { users: DirectoryUsers; groups: DirectoryGroups; publicUrl: string },
): void {
  const base = deps.publicUrl + scimPath;
  const requests = createRateLimit(deps, { name: 'scim', maximum: requestsPerMinute, windowSeconds: 60 });
  void app.register(
    (scope, _options, done) => {
      answerScimFailures(scope);
      readBodies(scope);
      scope.addHook('preHandler', async ({ query }) => {
        if (Object.values(query as object).some((value) => typeof value !== 'string'))
          throw wrong('invalidValue', 'Each parameter stands in the address once.');
        assertWithinRateLimit(await requests.take('directory'));
      });
      serveDiscovery(scope, base);
      serveUsers(scope, { ...deps, base });
      serveGroups(scope, { ...deps, base });
      done();
    },
    { prefix: scimPath },
  );
  // Every other address below /scim gets a SCIM error too: a directory cannot read the web application's page.
  void app.register(
    (scope, _options, done) => {
      answerScimFailures(scope);
      const refuse = () => Promise.reject(noSuchAddress(base));
      for (const url of ['', '/*']) scope.get(url, { config }, refuse);
      scope.setNotFoundHandler(refuse);
      done();
    },
    { prefix: '/scim' },
  );
}

/**
 * Removes surplus slashes from addresses below /scim. Directories append `/Users` to an address that administrators may have
 * entered with a slash at its end.
 */
export function rewriteScimAddress(url: string): string {
  const [path = '', ...query] = url.split('?');
  if (!/^\/+scim(?:\/|$)/.test(path)) return url;
  return [path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, ''), ...query].join('?');
}

/** JSON by either of its names. A DELETE may say that it brings JSON, and bring none. */
function readBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    ['application/scim+json', 'application/json'],
    { parseAs: 'string', bodyLimit: bodyMaximum },
    (request, body, done) => (body === '' ? done(null) : parse(request, String(body), done)),
  );
}

function serveDiscovery(scope: FastifyInstance, base: string): void {
  scope.get('/ServiceProviderConfig', { config }, (_request, reply) =>
    answer(reply, 200, serviceProviderConfig(base)),
  );
  for (const [url, all] of [
    ['/ResourceTypes', resourceTypes(base)],
    ['/Schemas', schemaResources(base)],
  ] as const) {
    scope.get(url, { config }, (_request, reply) => answer(reply, 200, listResponse(all)));
    scope.get<{ Params: { id: string } }>(`${url}/:id`, { config }, ({ params }, reply) => {
      const one = all.find(({ id }) => id.toLowerCase() === params.id.toLowerCase());
      if (!one) throw noSuchResource();
      return answer(reply, 200, one);
    });
  }
}

function serveUsers(
  scope: FastifyInstance,
  { database, users, base }: { database: Database; users: DirectoryUsers; base: string },
): void {
  const shown = (reply: FastifyReply, request: Request, row: UserRow, status = 200) =>
    answerOne(reply, request, toUser(row, base), status);

  const update = async (
    request: Request,
    reply: FastifyReply,
    change: (before: UserAttributes) => UserAttributes,
  ) => {
    const id = idOf(request);
    const requireSeen = requireSeenUser(request.headers['if-match']);
    return shown(reply, request, await users.update(id, { change, requireSeen }, by(request)));
  };

  scope.get('/Users', { config }, async (request: Request, reply) => {
    const page = pageOf(request.query);
    const { rows, total } = await listUsers(database, page);
    const shownUsers = rows.map((row) => toUser(row, base));
    return answerPage(reply, request, shownUsers, { total, startIndex: page.offset + 1 });
  });

  scope.get('/Users/:id', { config }, async (request: Request, reply) => {
    const row = await findUser(database, idOf(request));
    if (!row) throw noSuchResource();
    return shown(reply, request, row);
  });

  scope.post('/Users', { config }, async (request: Request, reply) => {
    const user = changeUser(nobody, changesOf('add', request.body));
    return shown(reply, request, await users.create(user, by(request)), 201);
  });

  /** What is not said in a PUT is gone, but for whether somebody may be inside. */
  scope.put('/Users/:id', { config }, async (request: Request, reply) => {
    const changes = changesOf('replace', request.body);
    return update(request, reply, () => changeUser(nobody, changes));
  });

  scope.patch('/Users/:id', { config }, async (request: Request, reply) => {
    const changes = readPatch(request.body);
    return update(request, reply, (before) => changeUser(before, changes));
  });

  scope.delete('/Users/:id', { config }, async (request: Request, reply) => {
    await users.remove(idOf(request), requireSeenUser(request.headers['if-match']), by(request));
    return reply.code(204).send();
  });
}

function serveGroups(
  scope: FastifyInstance,
  { database, groups, base }: { database: Database; groups: DirectoryGroups; base: string },
): void {
  async function show(rows: GroupRow[], request: Request): Promise<Resource[]> {
    const isWanted = wants(readAsked(request.query), 'members');
    const members = isWanted && rows.length > 0 ? await listMembers(database, valuesOf(rows, 'id')) : [];
    return rows.map((row) => toGroup(row, members, base));
  }
  const shown = async (reply: FastifyReply, request: Request, row: GroupRow, status = 200) =>
    answerOne(reply, request, (await show([row], request))[0] as Resource, status);

  const update = (request: Request, changes: Change[]) =>
    groups.update(
      idOf(request),
      readGroupChanges(changes),
      requireSeenGroup(request.headers['if-match']),
      by(request),
    );

  scope.get('/Groups', { config }, async (request: Request, reply) => {
    const page = pageOf(request.query);
    const { rows, total } = await listGroups(database, page);
    return answerPage(reply, request, await show(rows, request), { total, startIndex: page.offset + 1 });
  });

  scope.get('/Groups/:id', { config }, async (request: Request, reply) => {
    const row = await findGroup(database, idOf(request));
    if (!row) throw noSuchResource();
    return shown(reply, request, row);
  });

  scope.post('/Groups', { config }, async (request: Request, reply) =>
    shown(
      reply,
      request,
      await groups.create(readGroupChanges(changesOf('add', request.body)), by(request)),
      201,
    ),
  );

  /** Whoever is not named in a PUT is no member. */
  scope.put('/Groups/:id', { config }, async (request: Request, reply) => {
    const body = requireObject(request.body);
    const members = fieldOf(body, 'members') ?? [];
    const row = await update(request, [
      ...changesOf('replace', body),
      { op: 'replace', path: 'members', value: members },
    ]);
    return shown(reply, request, row);
  });

  /** Without the members, of whom there may be many. */
  scope.patch('/Groups/:id', { config }, async (request: Request, reply) => {
    const { version } = toGroup(await update(request, readPatch(request.body)), [], base).meta;
    return reply.code(204).header('etag', version).send();
  });

  scope.delete('/Groups/:id', { config }, async (request: Request, reply) => {
    await groups.remove(idOf(request), requireSeenGroup(request.headers['if-match']), by(request));
    return reply.code(204).send();
  });
}

const by = (request: Request): By => ({ caller: request.caller as Caller, origin: originOf(request) });

function idOf({ params }: Request): string {
  const id = params.id.toLowerCase();
  if (!uuid.test(id)) throw noSuchResource();
  return id;
}

/** What is below the first counts as the first, and what is below none as none (RFC 7644, section 3.4.2.4). */
function pageOf({ filter, startIndex, count }: Query) {
  const read = (text: string | undefined, name: string, otherwise: number) => {
    if (text === undefined) return otherwise;
    if (!/^-?\d{1,9}$/.test(text)) throw wrong('invalidValue', `${name} is a whole number.`);
    return Number(text);
  };
  return {
    filter,
    offset: Math.max(1, read(startIndex, 'startIndex', 1)) - 1,
    count: Math.min(pageMaximum, Math.max(0, read(count, 'count', pageMaximum))),
  };
}

function answerOne(reply: FastifyReply, request: Request, resource: Resource, status: number) {
  reply.header('etag', resource.meta.version);
  if (request.method === 'GET' && isUnchanged(request.headers['if-none-match'], resource.meta.version))
    return reply.code(304).send();
  if (status === 201) reply.header('location', resource.meta.location);
  return answer(reply, status, partOf(resource, readAsked(request.query)));
}

function answerPage(
  reply: FastifyReply,
  { query }: Request,
  resources: Resource[],
  place: { total: number; startIndex: number },
) {
  const asked = readAsked(query);
  const shown = resources.map((resource) => partOf(resource, asked));
  return answer(reply, 200, listResponse(shown, place));
}

function answer(reply: FastifyReply, status: number, body: object) {
  return reply
    .code(status)
    .headers({ 'content-type': scimMedia, 'cache-control': 'no-store' })
    .send(JSON.stringify(body));
}
