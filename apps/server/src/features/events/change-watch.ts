/** Reports which areas changed, in any server process, by polling the audit log once a second while there are listeners. */
import { rowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';
import { pluralOf } from '../../platform/plural.ts';

export type ReportedChanges = {
  areas: string[];
  ofOrganizations: { organizationId: string; area: string }[];
};

type Listener = (changes: ReportedChanges) => void;

type ChangeWatch = {
  /** Reports every change after the returned promise resolves, until the returned function is called. */
  listen(listener: Listener): Promise<() => void>;
};

type Group = {
  type: string;
  action: string;
  /** Null unless the organizations are reported. */
  organizationId: string | null;
  count: number;
  newerCount: number;
  last: number;
};

const pollIntervalMs = 1_000;
/** Maximum duration of a transaction. An entry can be committed after entries with higher ids, but at most this much later. */
const commitTimeoutMs = 30_000;
/** Number of entries before the newest that are read again when the watch starts, since earlier ids may still be uncommitted. */
const rereadEntriesAtStart = 20_000;

/** Exceptions to the rule that an area is the plural of the target type. */
const areaOfTarget: Record<string, string> = {
  person: 'people',
  invitation_batch: 'invitations',
  settings: 'settings',
  directory: 'directory',
  directory_user: 'directory',
  directory_group: 'directory',
};

export function createChangeWatch(
  database: Queryable,
  { onError, reportsOrganizations }: { onError: (error: unknown) => void; reportsOrganizations: boolean },
): ChangeWatch {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  let state: Awaited<ReturnType<typeof readInitialState>> | undefined;
  let starting: Promise<void> | undefined;

  async function readInitialState() {
    const [newest, sequences] = await Promise.all([newestEntryId(), readSequences(database)]);
    const since = Math.max(0, newest - rereadEntriesAtStart);
    const groups = await readGroups(since, since);
    return {
      since,
      /** Number of seen entries after `since`, by kind. */
      seenCounts: new Map(groups.map((group) => [keyOf(group), group.count])),
      /** Entries up to `newest` are committed when `at` is longer ago than a transaction lasts. */
      checkpoint: { at: performance.now(), newest },
      sequences,
      advancedAreas: new Set<string>(),
    };
  }

  async function poll(watch: NonNullable<typeof state>): Promise<ReportedChanges> {
    const isSettled = watch.checkpoint.at <= performance.now() - commitTimeoutMs;
    const next = isSettled ? watch.checkpoint.newest : watch.since;
    const [groups, sequences] = await Promise.all([readGroups(watch.since, next), readSequences(database)]);
    const areas = new Set<string>();
    const changed = groups.filter((group) => group.count > (watch.seenCounts.get(keyOf(group)) ?? 0));
    for (const group of changed) for (const area of areasOf(group)) areas.add(area);
    // A sequence advances before the change is committed, so the area is reported one poll later.
    for (const area of watch.advancedAreas) areas.add(area);
    watch.advancedAreas = new Set(
      Object.keys(sequences).filter((area) => sequences[area] !== watch.sequences[area]),
    );
    watch.sequences = sequences;
    watch.seenCounts = new Map(groups.map((group) => [keyOf(group), group.newerCount]));
    watch.since = next;
    if (isSettled)
      watch.checkpoint = {
        at: performance.now(),
        newest: Math.max(next, ...groups.map(({ last }) => last)),
      };
    const ofOrganizations = changed.flatMap((group) => {
      const { organizationId } = group;
      return organizationId === null ? [] : areasOf(group).map((area) => ({ organizationId, area }));
    });
    return { areas: [...areas], ofOrganizations };
  }

  function schedulePoll(): void {
    timer = setTimeout(() => void pollNow(), pollIntervalMs);
    timer.unref();
  }

  async function pollNow(): Promise<void> {
    const watch = state;
    if (!watch) return;
    try {
      const changes = await poll(watch);
      if (changes.areas.length > 0) for (const listener of listeners) listener(changes);
    } catch (error) {
      // The next successful poll reports the missed changes.
      onError(error);
    }
    if (state === watch) schedulePoll();
  }

  async function startPolling(): Promise<void> {
    state = await readInitialState();
    schedulePoll();
  }

  function stopWithoutListeners(): void {
    if (listeners.size > 0) return;
    clearTimeout(timer);
    state = undefined;
    starting = undefined;
  }

  return {
    async listen(listener) {
      listeners.add(listener);
      try {
        await (starting ??= startPolling());
      } catch (error) {
        listeners.delete(listener);
        starting = undefined;
        throw error;
      }
      return () => {
        listeners.delete(listener);
        stopWithoutListeners();
      };
    },
  };

  /** Returns the number of entries after `since` by kind, and how many of these are after `next`. */
  async function readGroups(since: number, next: number): Promise<Group[]> {
    return rowsOf<Group>(database, { name: 'read-changes' })`
      select target_type as type, action,
        case when ${reportsOrganizations} then detail #>> '{organization,id}' end as "organizationId",
        count(*) as count, count(*) filter (where id > ${next}) as "newerCount", max(id) as last
      from audit_log where id > ${since} group by 1, 2, 3`;
  }

  async function newestEntryId(): Promise<number> {
    const found = await rowOf<{ newest: number | null }>(database, 'select max(id) as newest from audit_log');
    return found?.newest ?? 0;
  }
}

/** Counts changes by mails, opened links and thumbnails, which are not in the audit log but advance sequences. */
async function readSequences(database: Queryable): Promise<Record<string, number>> {
  const rows = await rowsOf<Record<string, number>>(database, {
    name: 'count-unwritten-changes',
    // last_value is 1 both before and after the first use of a sequence; is_called differs.
    text: `select (select last_value + is_called::int from invitation_changes) as invitations,
             (select last_value + is_called::int from move_changes) as moves,
             (select last_value + is_called::int from attachment_changes) as attachments`,
  });
  return rows[0] ?? {};
}

const keyOf = ({ type, action, organizationId }: Group) => `${type} ${action} ${organizationId}`;

const areasOf = ({ type, action }: Group): string[] => [
  'activity',
  areaOfTarget[type] ?? pluralOf(type),
  ...(action === 'invitation.redeemed' ? ['people'] : []),
  ...(action.startsWith('move.') ? ['moves'] : []),
];
