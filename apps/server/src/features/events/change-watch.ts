/**
 * Tells which areas changed, whoever changed them on whichever server process: looks once a second at what was added to
 * the audit log, for all listeners together, and not at all while nobody listens.
 */
import { rowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';

type ChangeWatch = {
  /** From when this resolves on, `listener` hears of every change; until the function it gives is called. */
  listen(listener: (areas: string[]) => void): Promise<() => void>;
};

type Group = { type: string; action: string; count: number; later: number; last: number };

const lookEveryMs = 1_000;
/** A transaction takes no longer: an entry that is older has been seen, though ids are not committed in their order. */
const settledAfterMs = 30_000;
/** Entries before the newest one that may still be missing when the watch begins. */
const unsettledAtStart = 20_000;

/** An area is the plural of what is changed in it, but for these. */
const areaOfTarget: Record<string, string> = {
  person: 'people',
  invitation_batch: 'invitations',
  settings: 'settings',
  directory: 'directory',
  directory_user: 'directory',
  directory_group: 'directory',
};

export function createChangeWatch(database: Queryable, onError: (error: unknown) => void): ChangeWatch {
  const listeners = new Set<(areas: string[]) => void>();
  let timer: NodeJS.Timeout | undefined;
  let state: Awaited<ReturnType<typeof begin>> | undefined;
  let starting: Promise<void> | undefined;

  async function begin() {
    const [newest, unwritten] = await Promise.all([newestEntry(), countUnwritten(database)]);
    const since = Math.max(0, newest - unsettledAtStart);
    const groups = await read(since, since);
    return {
      since,
      /** How many entries after `since` are known, by kind. */
      known: new Map(groups.map((group) => [keyOf(group), group.count])),
      marks: [{ at: performance.now(), newest }],
      unwritten,
      moved: new Set<string>(),
    };
  }

  async function look(watched: NonNullable<typeof state>): Promise<Set<string>> {
    const settledBefore = performance.now() - settledAfterMs;
    const next = watched.marks.findLast(({ at }) => at <= settledBefore)?.newest ?? watched.since;
    const [groups, unwritten] = await Promise.all([read(watched.since, next), countUnwritten(database)]);
    const areas = new Set<string>();
    for (const group of groups)
      if (group.count > (watched.known.get(keyOf(group)) ?? 0))
        for (const area of areasOf(group)) areas.add(area);
    // A counter moves before its change is committed, so that it is told of one look later.
    for (const area of watched.moved) areas.add(area);
    watched.moved = new Set(
      Object.keys(unwritten).filter((area) => unwritten[area] !== watched.unwritten[area]),
    );
    watched.unwritten = unwritten;
    watched.known = new Map(groups.map((group) => [keyOf(group), group.later]));
    watched.since = next;
    const newest = Math.max(next, ...groups.map(({ last }) => last));
    watched.marks = [
      ...watched.marks.filter((mark) => mark.newest >= next),
      { at: performance.now(), newest },
    ];
    return areas;
  }

  function lookSoon(): void {
    timer = setTimeout(() => void lookNow(), lookEveryMs);
    timer.unref();
  }

  async function lookNow(): Promise<void> {
    const watched = state;
    if (!watched) return;
    try {
      const areas = [...(await look(watched))];
      if (areas.length > 0) for (const listener of listeners) listener(areas);
    } catch (error) {
      // What happened meanwhile is told by the next look that succeeds.
      onError(error);
    }
    if (state === watched) lookSoon();
  }

  async function start(): Promise<void> {
    state = await begin();
    lookSoon();
  }

  function stopWhenAlone(): void {
    if (listeners.size > 0) return;
    clearTimeout(timer);
    state = undefined;
    starting = undefined;
  }

  return {
    async listen(listener) {
      listeners.add(listener);
      try {
        await (starting ??= start());
      } catch (error) {
        listeners.delete(listener);
        starting = undefined;
        throw error;
      }
      return () => {
        listeners.delete(listener);
        stopWhenAlone();
      };
    },
  };

  /** Entries after `since` by kind, and how many of them are after `next`. */
  async function read(since: number, next: number): Promise<Group[]> {
    return rowsOf<Group>(database, {
      name: 'read-changes',
      text: `select target_type as type, action, count(*) as count, count(*) filter (where id > $2) as later, max(id) as last
             from audit_log where id > $1 group by target_type, action`,
      values: [since, next],
    });
  }

  async function newestEntry(): Promise<number> {
    const found = await rowOf<{ newest: number | null }>(database, 'select max(id) as newest from audit_log');
    return found?.newest ?? 0;
  }
}

/** What mails, openings of links and small pictures have changed, by area: it stands in no audit log, and sequences count it. */
async function countUnwritten(database: Queryable): Promise<Record<string, number>> {
  const rows = await rowsOf<Record<string, number>>(database, {
    name: 'count-unwritten-changes',
    // Until it is used for the first time, a sequence stands at 1 as it does afterwards.
    text: `select (select last_value + is_called::int from invitation_changes) as invitations,
             (select last_value + is_called::int from move_changes) as moves,
             (select last_value + is_called::int from attachment_changes) as attachments`,
  });
  return rows[0] ?? {};
}

const keyOf = ({ type, action }: Group) => `${type} ${action}`;

function areasOf({ type, action }: Group): string[] {
  return [
    'activity',
    areaOfTarget[type] ?? `${type}s`,
    // Whoever redeems an invitation is a new person.
    ...(action === 'invitation.redeemed' ? ['people'] : []),
    // Whoever moves stays who they are.
    ...(action.startsWith('move.') ? ['moves'] : []),
  ];
}
