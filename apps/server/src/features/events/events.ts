/**
 * Server-sent events (HTML Standard, section 9.2) that tell what changed elsewhere. Every tab behind the door follows them,
 * so that whoever is disabled or signed out is out at once, without touching anything.
 */
import { Readable } from 'node:stream';
import { watchChanges, type Changes } from '@vestibule/contract/events';
import type { Area } from '../../platform/area.ts';
import { rowsOf, type Database } from '../../platform/database/database.ts';
import { implement } from '../../platform/http/implement.ts';
import { isSignedOut } from '../../platform/identity/access-token.ts';
import type { Measure } from '../../platform/telemetry/metrics.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { createChangeWatch } from './change-watch.ts';

type Follower = {
  personId: string;
  /** Null where a token opened the stream. */
  sessionId: string | null;
  isAdmin: boolean;
  signedInAt: number;
  body: Readable;
  until: number;
};

type Inside = { id: string; isAdmin: boolean; validAfter: Date | null };

const followersPerPerson = 5;
/** How long a page waits whose place another one took: with one more than there are places, they take turns. */
const givenWayMs = 60_000;
const heartbeatMs = 20_000;
/** An access token is looked at when a stream begins; so it begins again now and then. */
const lifetimeMs = 15 * 60_000;
/** Of what a follower has not taken yet: it is not there any more. */
const unreadMaximum = 64 * 1024;

export function events(deps: {
  database: Database;
  areas: Area[];
  logger: { warn(details: object, message: string): void };
}): Area {
  const { database } = deps;
  const areasForEverybody = readByMembers(deps.areas);
  const warn = (error: unknown) => deps.logger.warn({ err: error }, 'changes could not be read');
  const watch = createChangeWatch(database, warn);
  const followers = new Set<Follower>();
  let stopListening: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let beats = 0;

  function tell(areas: string[]): void {
    const forEverybody = areas.filter((area) => areasForEverybody.has(area));
    for (const { isAdmin, body } of followers) sendChanges(body, isAdmin ? areas : forEverybody);
    if (areas.includes('people')) void lookAtFollowers().catch(warn);
  }

  function beat(): void {
    beats += 1;
    for (const follower of followers)
      if (follower.until <= performance.now()) end(follower);
      else send(follower.body, ': still here\n\n');
    if (beats % 3 === 0) void lookAtFollowers().catch(warn);
  }

  /** Ends the streams of whoever is refused by now; tells those whose role has changed. */
  async function lookAtFollowers(): Promise<void> {
    // Whoever comes while the database answers is in no answer.
    const looked = [...followers];
    const rows = await rowsOf<Inside>(database, {
      name: 'find-followers-inside',
      text: `select id, role = 'admin' as "isAdmin", tokens_valid_after as "validAfter" from people
             where id = any($1) and status = 'active'`,
      values: [[...new Set(valuesOf(looked, 'personId'))]],
    });
    const sessions = await readSessions(looked);
    const inside = new Map(rows.map((row) => [row.id, row]));
    for (const follower of looked) {
      const person = inside.get(follower.personId);
      const hasSession = sessions.has(follower.sessionId ?? '');
      if (!person || isSignedOut(follower, { ...person, hasSession })) end(follower);
      else if (person.isAdmin !== follower.isAdmin) {
        follower.isAdmin = person.isAdmin;
        sendChanges(follower.body, ['me']);
      }
    }
  }

  /** Of the sessions that these streams were opened with, those that are still there. */
  async function readSessions(looked: Follower[]): Promise<Set<string>> {
    const ids = looked.flatMap(({ sessionId }) => sessionId ?? []);
    if (ids.length === 0) return new Set();
    const rows = await rowsOf<{ id: string }>(database, {
      name: 'find-followed-sessions',
      text: 'select id from sessions where id = any($1)',
      values: [ids],
    });
    return new Set(valuesOf(rows, 'id'));
  }

  /** The page that was opened last is the one that somebody looks at: the oldest gives way to it. */
  function giveWay(personId: string): void {
    const own = [...followers].filter((follower) => follower.personId === personId);
    for (const follower of own.slice(0, Math.max(0, own.length - followersPerPerson + 1))) {
      send(follower.body, `retry: ${givenWayMs}\n\n`);
      end(follower);
    }
  }

  function end(follower: Follower): void {
    leave(follower);
    follower.body.push(null);
  }

  function leave(follower: Follower): void {
    followers.delete(follower);
    if (followers.size > 0) return;
    stopListening?.();
    stopListening = undefined;
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  const routes = [
    implement(watchChanges, async ({ caller }) => {
      giveWay(caller.id);
      const body = new Readable({ read() {} });
      const follower = {
        personId: caller.id,
        sessionId: caller.session ?? null,
        isAdmin: caller.isAdmin,
        signedInAt: caller.signedInAt ?? 0,
        body,
        until: performance.now() + lifetimeMs,
      };
      // Counted before anything is waited for, so that many at once do not pass together.
      followers.add(follower);
      body.once('close', () => leave(follower));
      body.push(': connected\n\n');
      heartbeat ??= setInterval(beat, heartbeatMs).unref();
      try {
        const stop = await watch.listen(tell);
        if (followers.size === 0) stop();
        else stopListening = stop;
        // Somebody who was disabled between the look at their token and now is in no later change.
        void lookAtFollowers().catch(warn);
      } catch (error) {
        body.destroy();
        throw error;
      }
      return { type: 'text/event-stream', body };
    }),
  ];
  return { routes, measures: [measureStreams(() => followers.size)] };
}

const measureStreams = (read: () => number): Measure => ({
  name: 'event_streams',
  help: 'Pages that this process tells of changes.',
  read,
});

/** What others than administrators hear of: the areas whose lists they may read, such as `/api/attachments`. */
function readByMembers(areas: Area[]): Set<string> {
  const routes = areas.flatMap((area) => area.routes.map(({ route }) => route));
  const lists = routes.filter(({ method, access }) => method === 'GET' && access === 'member');
  return new Set(lists.flatMap(({ path }) => /^\/api\/([\w-]+)$/.exec(path)?.[1] ?? []));
}

function sendChanges(body: Readable, areas: string[]): void {
  const data: Changes = { areas };
  if (areas.length > 0) send(body, `data: ${JSON.stringify(data)}\n\n`);
}

function send(body: Readable, text: string): void {
  if (body.readableLength > unreadMaximum) body.destroy();
  else body.push(text);
}
