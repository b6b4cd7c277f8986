/**
 * SCIM 2.0 (RFC 7643 and 7644) at `/scim/v2` for Entra ID and Okta, with a directory token only. The token decides whose users are seen:
 * those of the site, or of one organization. users.ts and groups.ts apply the changes.
 */
import { scimPath } from '@vestibule/contract/directory';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database, DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { collectMethods } from '../../../platform/http/error-response.ts';
import { addJsonParser } from '../../../platform/http/http-server.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { DirectoryGroups } from '../groups.ts';
import type { DirectoryCaller } from '../scim-token.ts';
import type { Actor } from '../directory-access.ts';
import type { DirectoryUsers } from '../users.ts';
import { findGroup, listGroups, listMembers, type GroupRow } from '../group-store.ts';
import { createUserStore, type UserRow } from '../user-store.ts';
import {
  listResponse,
  pageMaximum,
  resourceTypes,
  schemaResources,
  serviceProviderConfig,
} from './discovery.ts';
import { readGroupChanges } from './group-changes.ts';
import { changesOf, findAttribute, readPatch, requireObject, type AttributeChange } from './patch.ts';
import {
  selectAttributes,
  readAttributeSelection,
  toGroup,
  toUser,
  isRequested,
  type Resource,
} from './resources.ts';
import {
  sendScimFailures,
  badRequest,
  groupsUnsupported,
  methodNotAllowed,
  scimMedia,
  unknownPath,
  unknownResource,
} from './scim-failure.ts';
import { changeUser, emptyUser, type UserAttributes } from './user-attributes.ts';
import { isUuid } from '../../../platform/database/new-id.ts';

const bodyMaximum = 1024 * 1024;
/** Entra ID sends up to 25 per second. */
const requestsPerMinute = 6_000;
const config = { access: 'directory' as const };

type Query = Partial<Record<'filter' | 'startIndex' | 'count' | 'attributes' | 'excludedAttributes', string>>;
type Request = FastifyRequest<{ Params: { id: string }; Querystring: Query }>;

export function serveScim(
  app: FastifyInstance,
  deps: DatabaseDeps & { users: DirectoryUsers; groups: DirectoryGroups; publicUrl: string },
): void {
  const base = deps.publicUrl + scimPath;
  const methodsAt = collectMethods(app, ({ url }) => url.startsWith(`${scimPath}/`));
  const requests = createRateLimit(deps, { name: 'scim', maximum: requestsPerMinute, windowSeconds: 60 });
  void app.register(
    (scope, _options, done) => {
      sendScimFailures(scope);
      readBodies(scope);
      scope.addHook('preHandler', async (request) => {
        if (Object.values(request.query as object).some((value) => typeof value !== 'string'))
          throw badRequest('invalidValue', 'Each parameter may occur only once.');
        assertWithinRateLimit(await requests.take(organizationOf(request)?.id ?? 'directory'));
      });
      serveDiscovery(scope, base);
      serveUsers(scope, { ...deps, base });
      void scope.register((groupScope, _groupOptions, groupsDone) => {
        groupScope.addHook('preHandler', refuseGroupsOfOrganizations);
        serveGroups(groupScope, { ...deps, base });
        groupsDone();
      });
      done();
    },
    { prefix: scimPath },
  );
  // Every other address below /scim gets a SCIM error too: a directory cannot read the web application's page.
  void app.register(
    (scope, _options, done) => {
      sendScimFailures(scope);
      const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
        const methods = methodsAt(request.url).join(', ');
        if (methods === '') throw unknownPath(base);
        reply.header('allow', methods);
        throw methodNotAllowed(methods);
      };
      for (const url of ['', '/*']) scope.get(url, { config }, refuse);
      scope.setNotFoundHandler(refuse);
      done();
    },
    { prefix: '/scim' },
  );
}

/** Accepts both JSON media types. */
function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const types = ['application/scim+json', 'application/json'];
  addJsonParser(scope, types, { bodyLimit: bodyMaximum });
}

function serveDiscovery(scope: FastifyInstance, base: string): void {
  scope.get('/ServiceProviderConfig', { config }, (_request, reply) =>
    send(reply, 200, serviceProviderConfig(base)),
  );
  for (const [url, all] of [
    ['/ResourceTypes', resourceTypes(base)],
    ['/Schemas', schemaResources(base)],
  ] as const) {
    const listedFor = (request: FastifyRequest) =>
      organizationOf(request) ? all.filter(({ name }) => name !== 'Group') : all;
    scope.get(url, { config }, (request, reply) => send(reply, 200, listResponse(listedFor(request))));
    scope.get<{ Params: { id: string } }>(`${url}/:id`, { config }, (request, reply) => {
      const wanted = request.params.id.toLowerCase();
      const match = listedFor(request).find(({ id }) => id.toLowerCase() === wanted);
      if (!match) throw unknownResource();
      return send(reply, 200, match);
    });
  }
}

function serveUsers(
  scope: FastifyInstance,
  { database, users, base }: { database: Database; users: DirectoryUsers; base: string },
): void {
  const respondWith = (reply: FastifyReply, request: Request, row: UserRow, status = 200) =>
    sendResource(reply, request, toUser(row, base), status);

  const update = async (
    request: Request,
    reply: FastifyReply,
    change: (before: UserAttributes) => UserAttributes,
  ) => {
    const row = await users.update(idOf(request), change, actorOf(request));
    return respondWith(reply, request, row);
  };

  scope.get('/Users', { config }, async (request: Request, reply) => {
    const page = pageOf(request.query);
    const { rows, total } = await storeOf(request).list(database, page);
    const shownUsers = rows.map((row) => toUser(row, base));
    return sendPage(reply, request, shownUsers, { total, startIndex: page.offset + 1 });
  });

  scope.get('/Users/:id', { config }, async (request: Request, reply) => {
    const row = await storeOf(request).find(database, idOf(request));
    if (!row) throw unknownResource();
    return respondWith(reply, request, row);
  });

  scope.post('/Users', { config }, async (request: Request, reply) => {
    const user = changeUser(emptyUser, changesOf('add', request.body));
    return respondWith(reply, request, await users.create(user, actorOf(request)), 201);
  });

  /** PUT resets missing attributes, except `active`. */
  scope.put('/Users/:id', { config }, async (request: Request, reply) => {
    const changes = changesOf('replace', request.body);
    return update(request, reply, () => changeUser(emptyUser, changes));
  });

  scope.patch('/Users/:id', { config }, async (request: Request, reply) => {
    const changes = readPatch(request.body);
    return update(request, reply, (before) => changeUser(before, changes));
  });

  scope.delete('/Users/:id', { config }, async (request: Request, reply) => {
    await users.remove(idOf(request), actorOf(request));
    return reply.code(204).send();
  });
}

function serveGroups(
  scope: FastifyInstance,
  { database, groups, base }: { database: Database; groups: DirectoryGroups; base: string },
): void {
  async function toGroups(rows: GroupRow[], request: Request): Promise<Resource[]> {
    const includesMembers = isRequested(readAttributeSelection(request.query), 'members');
    const members =
      includesMembers && rows.length > 0 ? await listMembers(database, valuesOf(rows, 'id')) : [];
    return rows.map((row) => toGroup(row, members, base));
  }
  const respondWith = async (reply: FastifyReply, request: Request, row: GroupRow, status = 200) =>
    sendResource(reply, request, (await toGroups([row], request))[0] as Resource, status);

  const update = (request: Request, changes: AttributeChange[]) =>
    groups.update(idOf(request), readGroupChanges(changes), actorOf(request));

  scope.get('/Groups', { config }, async (request: Request, reply) => {
    const page = pageOf(request.query);
    const { rows, total } = await listGroups(database, page);
    return sendPage(reply, request, await toGroups(rows, request), { total, startIndex: page.offset + 1 });
  });

  scope.get('/Groups/:id', { config }, async (request: Request, reply) => {
    const row = await findGroup(database, idOf(request));
    if (!row) throw unknownResource();
    return respondWith(reply, request, row);
  });

  scope.post('/Groups', { config }, async (request: Request, reply) =>
    respondWith(
      reply,
      request,
      await groups.create(readGroupChanges(changesOf('add', request.body)), actorOf(request)),
      201,
    ),
  );

  /** PUT removes members that are not listed. */
  scope.put('/Groups/:id', { config }, async (request: Request, reply) => {
    const body = requireObject(request.body);
    const members = findAttribute(body, 'members') ?? [];
    const row = await update(request, [
      ...changesOf('replace', body),
      { op: 'replace', path: 'members', value: members },
    ]);
    return respondWith(reply, request, row);
  });

  /** Responds without the members, of which there may be many. */
  scope.patch('/Groups/:id', { config }, async (request: Request, reply) => {
    await update(request, readPatch(request.body));
    return reply.code(204).send();
  });

  scope.delete('/Groups/:id', { config }, async (request: Request, reply) => {
    await groups.remove(idOf(request), actorOf(request));
    return reply.code(204).send();
  });
}

const organizationOf = ({ caller }: FastifyRequest) => (caller as DirectoryCaller).organization;
const storeOf = (request: FastifyRequest) => createUserStore(organizationOf(request)?.id ?? null);

const actorOf = (request: Request): Actor => ({
  caller: request.caller as DirectoryCaller,
  origin: originOf(request),
  organization: organizationOf(request),
});

/** An organization has no groups. The list is empty, because directories read it to test the connection. */
async function refuseGroupsOfOrganizations(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (organizationOf(request) === null) return;
  if (request.method !== 'GET') throw groupsUnsupported();
  if ((request.params as { id?: string }).id !== undefined) throw unknownResource();
  return send(reply, 200, listResponse([]));
}

function idOf({ params }: Request): string {
  const id = params.id.toLowerCase();
  if (!isUuid(id)) throw unknownResource();
  return id;
}

/** Values below the minimum count as the minimum (RFC 7644, section 3.4.2.4). */
function pageOf({ filter, startIndex, count }: Query) {
  const read = (text: string | undefined, name: string, fallback: number) => {
    if (text === undefined || text === '') return fallback;
    if (!/^-?\d{1,9}$/.test(text)) throw badRequest('invalidValue', `${name} is a whole number.`);
    return Number(text);
  };
  return {
    filter: filter === '' ? undefined : filter,
    offset: Math.max(1, read(startIndex, 'startIndex', 1)) - 1,
    count: Math.min(pageMaximum, Math.max(0, read(count, 'count', pageMaximum))),
  };
}

function sendResource(reply: FastifyReply, request: Request, resource: Resource, status: number) {
  if (status === 201) reply.header('location', resource.meta.location);
  return send(reply, status, selectAttributes(resource, readAttributeSelection(request.query)));
}

function sendPage(
  reply: FastifyReply,
  { query }: Request,
  resources: Resource[],
  place: { total: number; startIndex: number },
) {
  const selection = readAttributeSelection(query);
  const selected = resources.map((resource) => selectAttributes(resource, selection));
  return send(reply, 200, listResponse(selected, place));
}

const send = (reply: FastifyReply, status: number, body: object) =>
  reply
    .code(status)
    .headers({ 'content-type': scimMedia, 'cache-control': 'no-store' })
    .send(JSON.stringify(body));
