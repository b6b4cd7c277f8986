/** Server-sent events (HTML Standard, section 9.2) that tell administrators what changed elsewhere. */
import { Readable } from 'node:stream';
import { eventErrors, watchChanges, type Changes } from '@vestibule/contract/events';
import type { Database } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { createChangeWatch } from './change-watch.ts';

type Follower = { personId: string; body: Readable; until: number };

const followersPerPerson = 5;
const heartbeatMs = 20_000;
/** An access token is looked at when a stream begins; so it begins again now and then. */
const lifetimeMs = 15 * 60_000;
/** Of what a follower has not taken yet: it is not there any more. */
const unreadMaximum = 64 * 1024;

export function events(deps: {
  database: Database;
  logger: { warn(details: object, message: string): void };
}): Implementation[] {
  const { database } = deps;
  const warn = (error: unknown) => deps.logger.warn({ err: error }, 'changes could not be read');
  const watch = createChangeWatch(database, warn);
  const followers = new Set<Follower>();
  let stopListening: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let beats = 0;

  function tell(areas: string[]): void {
    const data: Changes = { areas };
    for (const { body } of followers) send(body, `data: ${JSON.stringify(data)}\n\n`);
    if (areas.includes('people')) void dismiss().catch(warn);
  }

  function beat(): void {
    beats += 1;
    for (const follower of followers)
      if (follower.until <= performance.now()) end(follower);
      else send(follower.body, ': still here\n\n');
    if (beats % 3 === 0) void dismiss().catch(warn);
  }

  /** Ends the streams of whoever is no administrator any more. */
  async function dismiss(): Promise<void> {
    const { rows } = await database.query<{ id: string }>({
      name: 'find-administrators-among',
      text: `select id from people where id = any($1) and role = 'admin' and status = 'active'`,
      values: [[...new Set([...followers].map(({ personId }) => personId))]],
    });
    const administrators = new Set(rows.map(({ id }) => id));
    for (const follower of followers) if (!administrators.has(follower.personId)) end(follower);
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

  return [
    implement(watchChanges, async ({ caller }) => {
      const own = [...followers].filter(({ personId }) => personId === caller.id);
      if (own.length >= followersPerPerson) throw fail(eventErrors.tooMany, { retryAfterSeconds: 60 });
      const body = new Readable({ read() {} });
      const follower = { personId: caller.id, body, until: performance.now() + lifetimeMs };
      // Counted before anything is waited for, so that many at once do not pass together.
      followers.add(follower);
      body.once('close', () => leave(follower));
      body.push(': connected\n\n');
      heartbeat ??= setInterval(beat, heartbeatMs).unref();
      try {
        const stop = await watch.listen(tell);
        if (followers.size === 0) stop();
        else stopListening = stop;
      } catch (error) {
        body.destroy();
        throw error;
      }
      return { type: 'text/event-stream', body };
    }),
  ];
}

function send(body: Readable, text: string): void {
  if (body.readableLength > unreadMaximum) body.destroy();
  else body.push(text);
}
