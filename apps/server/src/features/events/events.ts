/**
 * Server-sent events (HTML Standard, section 9.2) that report changes to all tabs of signed-in users. Closing the
 * stream of a disabled or signed-out user signs the user out in all tabs immediately.
 */
import { Readable } from 'node:stream';
import { watchChanges, type Changes } from '@vestibule/contract/events';
import type { Area } from '../../platform/area.ts';
import { rawSql, rowsOf, type Database, type DatabaseDeps } from '../../platform/database/database.ts';
import { implement } from '../../platform/http/implement.ts';
import { isSignedOut } from '../../platform/identity/access-token.ts';
import {
  type Permissions,
  isSuspendedSql,
  requiredMethodSql,
} from '../../platform/http/organization-access.ts';
import type { GaugeDefinition } from '../../platform/telemetry/metrics.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { createChangeWatch, type ReportedChanges } from './change-watch.ts';

type Stream = {
  personId: string;
  /** Null if the stream was opened with an access token. */
  sessionId: string | null;
  isAdmin: boolean;
  /** Sign-in method of the session; an organization may require one. */
  signInMethod: string | null;
  /** Memberships and their permissions; undefined before the first check. */
  memberships?: string;
  signedInAt: number;
  body: Readable;
  closesAt: number;
};

type ActivePerson = { id: string; isAdmin: boolean; validAfter: Date | null; memberships: string };

/** Areas whose changes can change the permissions of users. */
const areasOfAccess = ['people', 'organizations', 'organization_roles'];

const streamsPerPerson = 5;
/** Reconnection delay of a replaced stream, so that a tab above the limit does not reconnect at once. */
const replacedStreamRetryMs = 60_000;
const heartbeatMs = 20_000;
/** Limits how long a stream outlives its access token, which is checked only when it is opened. */
const lifetimeMs = 15 * 60_000;
/** Maximum number of bytes that a client has not read; a stream that exceeds it is closed. */
const maxUnreadBytes = 64 * 1024;

export function events(deps: {
  database: Database;
  areas: Area[];
  permissions: Permissions;
  now: () => number;
  logger: { warn(details: object, message: string): void };
}): Area {
  const { database } = deps;
  const memberAreas = listMemberAreas(deps.areas);
  const warn = (error: unknown) =>
    deps.logger.warn({ err: error }, 'reading changes for event streams failed');
  const organizationAreas = listOrganizationAreas(deps.areas);
  const watch = createChangeWatch(database, {
    onError: warn,
    reportsOrganizations: organizationAreas.size > 0,
  });
  const streams = new Set<Stream>();
  let stopListening: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let heartbeats = 0;

  function broadcast({ areas, ofOrganizations }: ReportedChanges): void {
    const visibleAreas = areas.filter((area) => memberAreas.has(area));
    for (const { isAdmin, body } of streams) sendChanges(body, isAdmin ? areas : visibleAreas);
    void notifyMembers(ofOrganizations).catch(warn);
    if (areas.some((area) => areasOfAccess.includes(area))) void checkStreams().catch(warn);
  }

  /** Sends areas of organizations to the members who may read the lists. Site administrators receive all areas. */
  async function notifyMembers(changes: ReportedChanges['ofOrganizations']): Promise<void> {
    const members = [...streams].filter(({ isAdmin }) => !isAdmin);
    for (const [stream, areas] of await findReadableAreas(deps, organizationAreas, changes, members))
      if (streams.has(stream)) sendChanges(stream.body, areas);
  }

  function sendHeartbeat(): void {
    heartbeats += 1;
    for (const stream of streams)
      if (stream.closesAt <= performance.now()) closeStream(stream);
      else send(stream.body, ': still here\n\n');
    if (heartbeats % 3 === 0) void checkStreams().catch(warn);
  }

  /** Closes the streams of users who are disabled or signed out, and notifies users whose role or memberships changed. */
  async function checkStreams(): Promise<void> {
    // Streams added during the query are not in its result.
    const checked = [...streams];
    const rows = await readActivePeople(database, checked);
    const sessions = await readSessions(database, checked);
    const people = new Map(rows.map((row) => [row.id, row]));
    for (const stream of checked) {
      const person = people.get(stream.personId);
      const hasSession = sessions.has(stream.sessionId ?? '');
      if (!person || isSignedOut(stream, { ...person, hasSession })) closeStream(stream);
      else {
        const { isAdmin, memberships } = person;
        const hasChanged = isAdmin !== stream.isAdmin || memberships !== (stream.memberships ?? memberships);
        Object.assign(stream, { isAdmin, memberships });
        if (hasChanged) sendChanges(stream.body, ['me']);
      }
    }
  }

  /** Closes the oldest streams above the limit: the newest tab is most likely the visible one. */
  function closeOldestStreams(personId: string): void {
    const ownStreams = [...streams].filter((stream) => stream.personId === personId);
    for (const stream of ownStreams.slice(0, Math.max(0, ownStreams.length - streamsPerPerson + 1))) {
      send(stream.body, `retry: ${replacedStreamRetryMs}\n\n`);
      closeStream(stream);
    }
  }

  function closeStream(stream: Stream): void {
    removeStream(stream);
    stream.body.push(null);
  }

  function removeStream(stream: Stream): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    stopListening?.();
    stopListening = undefined;
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  const routes = [
    implement(watchChanges, async ({ caller }) => {
      closeOldestStreams(caller.id);
      const body = new Readable({ read() {} });
      const stream: Stream = {
        personId: caller.id,
        sessionId: caller.session ?? null,
        isAdmin: caller.isAdmin,
        signInMethod: caller.signInMethod ?? null,
        signedInAt: caller.signedInAt ?? 0,
        body,
        closesAt: performance.now() + lifetimeMs,
      };
      // Added before the first await, so that concurrent requests cannot exceed the limit.
      streams.add(stream);
      body.once('close', () => removeStream(stream));
      body.push(': connected\n\n');
      heartbeat ??= setInterval(sendHeartbeat, heartbeatMs).unref();
      try {
        const stop = await watch.listen(broadcast);
        if (streams.size === 0) stop();
        else stopListening = stop;
        // Covers people disabled after their token was checked and before the watch started.
        void checkStreams().catch(warn);
      } catch (error) {
        body.destroy();
        throw error;
      }
      return { type: 'text/event-stream', body };
    }),
  ];
  return { routes, measures: [createStreamMeasure(() => streams.size)] };
}

/** Returns the active people of the streams, with their memberships and permissions as a text. */
const readActivePeople = (database: Database, checked: Stream[]): Promise<ActivePerson[]> =>
  rowsOf<ActivePerson>(database, { name: 'find-people-with-streams' })`
    select id, role = 'admin' as "isAdmin", tokens_valid_after as "validAfter",
      coalesce((select string_agg(concat_ws(' ', organizations.id, organizations.status, role_id, permissions::text),
        ',' order by organizations.id)
        from memberships join organizations on organizations.id = organization_id
          join organization_roles on organization_roles.id = role_id where person_id = people.id), '') as memberships
    from people where id = any(${[...new Set(valuesOf(checked, 'personId'))]}) and status = 'active'`;

/** Returns the ids of sessions that still exist. */
async function readSessions(database: Database, checked: Stream[]): Promise<Set<string>> {
  const ids = checked.flatMap(({ sessionId }) => sessionId ?? []);
  if (ids.length === 0) return new Set();
  const rows = await rowsOf<{ id: string }>(database, { name: 'find-followed-sessions' })`
    select id from sessions where id = any(${ids})`;
  return new Set(valuesOf(rows, 'id'));
}

const createStreamMeasure = (read: () => number): GaugeDefinition => ({
  name: 'event_streams',
  help: 'Open event streams of this process.',
  read,
});

/** Returns the areas reported to members: those whose list they may read, such as `/api/attachments`. */
function listMemberAreas(areas: Area[]): Set<string> {
  const routes = areas.flatMap((area) => area.routes.map(({ route }) => route));
  const lists = routes.filter(({ method, access }) => method === 'GET' && access === 'member');
  return new Set(lists.flatMap(({ path }) => /^\/api\/([\w-]+)$/.exec(path)?.[1] ?? []));
}

function sendChanges(body: Readable, areas: string[]): void {
  const data: Changes = { areas };
  if (areas.length > 0) send(body, `data: ${JSON.stringify(data)}\n\n`);
}

function send(body: Readable, text: string): void {
  if (body.readableLength > maxUnreadBytes) body.destroy();
  else body.push(text);
}

type Change = { organizationId: string; area: string };

/** Role of a person in an organization that is open to its members. */
type RoleRow = {
  personId: string;
  organizationId: string;
  role: { id: string; permissions: string[] };
  /** Sign-in method that the organization requires; null if any is sufficient. */
  requiredMethod: string | null;
};

/** Returns the permission to read each list of an extension, such as `/api/organizations/:organizationId/tickets`, by its area. */
function listOrganizationAreas(areas: Area[]): Map<string, string> {
  const routes = areas.flatMap((area) =>
    area.extension === undefined ? [] : area.routes.map(({ route }) => route),
  );
  return new Map(
    routes.flatMap(({ method, path, access }) => {
      const area = /^\/api\/organizations\/:\w+\/([\w-]+)$/.exec(path)?.[1];
      return area !== undefined && method === 'GET' && typeof access === 'object'
        ? [[area.replaceAll('-', '_'), access.permission]]
        : [];
    }),
  );
}

/** Returns the current roles of these people in the organizations of the changes. */
const readRoles = (
  { database, now }: DatabaseDeps,
  changes: readonly Change[],
  personIds: readonly string[],
): Promise<RoleRow[]> =>
  rowsOf<RoleRow>(database, { name: 'find-organization-listeners' })`
    select person_id as "personId", organization_id as "organizationId",
      ${rawSql(requiredMethodSql)} as "requiredMethod",
      jsonb_build_object('id', role_id, 'permissions', permissions) as role
    from memberships join organizations on organizations.id = organization_id
      join organization_roles on organization_roles.id = role_id
    where organization_id = any(${[...new Set(changes.map(({ organizationId }) => organizationId))]})
      and person_id = any(${[...new Set(personIds)]}) and not ${rawSql(isSuspendedSql, new Date(now()))}`;

/** Returns the areas of the changes whose lists each listener may read. */
async function findReadableAreas<Listener extends { personId: string; signInMethod: string | null }>(
  deps: DatabaseDeps & { permissions: Permissions },
  permissionByArea: ReadonlyMap<string, string>,
  changes: readonly Change[],
  listeners: readonly Listener[],
): Promise<Map<Listener, string[]>> {
  const listed = changes.filter(({ area }) => permissionByArea.has(area));
  if (listed.length === 0 || listeners.length === 0) return new Map();
  const roles = await readRoles(
    deps,
    listed,
    listeners.map(({ personId }) => personId),
  );
  const readable = ({ organizationId, role }: RoleRow) => {
    const permissions = deps.permissions.permissionsOf(role);
    return listed
      .filter((change) => change.organizationId === organizationId)
      .map(({ area }) => area)
      .filter((area) => permissions.includes(permissionByArea.get(area) as string));
  };
  return new Map(
    listeners.map((listener) => {
      const own = roles.filter(
        ({ personId, requiredMethod }) =>
          personId === listener.personId &&
          (requiredMethod === null || requiredMethod === listener.signInMethod),
      );
      return [listener, [...new Set(own.flatMap(readable))]];
    }),
  );
}
