/** Generated people for the gallery, and a fake server that lists them. */
import { cellText, type GridColumn } from '../src/ui/grid/grid-column.ts';
import type { GridPage } from '../src/ui/grid/grid-pages.ts';
import type { GridCondition, GridPageRequest } from '../src/ui/grid/grid-query.ts';
import type { GridLayout, GridServer, GridViewRecord } from '../src/ui/grid/grid-server.ts';

export type FakePerson = {
  id: string;
  name: string;
  email: string;
  role: 'Member' | 'Administrator';
  active: boolean;
  signIns: number;
  joinedAt: string;
  lastSeenAt: string | null;
  leavesOn: string | null;
};

const firstNames = ['Ada', 'Grace', 'Linus', 'Barbara', 'Edsger', 'Katherine'];
const lastNames = ['Lovelace', 'Hopper', 'Torvalds', 'Liskov', 'Dijkstra', 'Johnson', 'Hamilton'];
const disabled = new Set<string>();
/** Number of people that filters search; searching all would take too long. */
const searched = 20_000;
const listeners = new Set<() => void>();

/** Controls and records for tests. */
export const fakeServer = {
  total: 1_000_000,
  failing: false,
  queries: [] as GridPageRequest[],
  layouts: [] as (GridLayout | null)[],
  exports: [] as string[],
  /** Exports never finish while this is true. */
  slowExport: false,
  /** Simulates a change by another user. */
  change: () => {
    for (const listener of listeners) listener();
  },
  /** Number of grids that watch changes. */
  listening: () => listeners.size,
};

/** Responds like a server with a million people and a latency of 20 ms. */
export async function fetchFakePeople(
  query: GridPageRequest,
  signal: AbortSignal,
): Promise<GridPage<FakePerson>> {
  fakeServer.queries.push(query);
  await new Promise((resolve) => setTimeout(resolve, 20));
  signal.throwIfAborted();
  if (fakeServer.failing) throw new Error('Internal message that is not displayed.');
  const matching = foundPlaces(query.search) ?? (query.filters && matchingPlaces(query.filters));
  const total = matching ? matching.length : query.search ? 12 : fakeServer.total;
  const length = Math.max(0, Math.min(query.limit, total - query.offset));
  const place = (row: number) => {
    const turned = query.sort?.direction === 'desc' ? total - 1 - row : row;
    return matching ? matching[turned]! : turned;
  };
  const rows = Array.from({ length }, (_, row) => createPerson(place(query.offset + row)));
  // As in the application, only the first page has a total.
  return query.offset === 0 ? { rows, total } : { rows };
}

/** The change is visible after the next fetch. */
export async function disable(people: readonly { id: string }[]): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const { id } of people) disabled.add(id);
}

/** Stores layouts and views in session storage. */
export function fakeGridServer(columns: readonly GridColumn<FakePerson>[]): GridServer {
  const read = <Value>(key: string, otherwise: Value): Value =>
    JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? otherwise;
  const write = (key: string, value: unknown) => sessionStorage.setItem(key, JSON.stringify(value));
  const views = () => read<GridViewRecord[]>('views', []);
  return {
    loadPreferences: async (grid) => ({
      layout: read<GridLayout | null>(`layout:${grid}`, null),
      views: views(),
      mayShare: true,
    }),
    saveLayout: async (grid, layout) => {
      fakeServer.layouts.push(layout);
      write(`layout:${grid}`, layout);
    },
    createView: async (_, view) => {
      const record = { ...view, id: crypto.randomUUID(), own: true };
      write('views', [...views(), record]);
      return record;
    },
    changeView: async (_, viewId, change) => {
      const changed = views().map((view) => (view.id === viewId ? { ...view, ...change } : view));
      write('views', changed);
      return changed.find(({ id }) => id === viewId)!;
    },
    deleteView: async (_, viewId) =>
      write(
        'views',
        views().filter(({ id }) => id !== viewId),
      ),
    openExport: async (wanted, signal) => {
      const names = wanted.columns ?? columns.map(({ id }) => id);
      fakeServer.exports.push(`${wanted.path} ${names.join(',')}`);
      const shown = columns.filter(({ id }) => names.includes(id));
      const places = wanted.filters ? matchingPlaces(wanted.filters) : [0, 1, 2];
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          signal.addEventListener('abort', () => controller.error(signal.reason));
          controller.enqueue(encoder.encode(`${shown.map(({ title }) => title).join(',')}\r\n`));
          for (const place of places) {
            const cells = shown.map((column) => cellText(column, createPerson(place)));
            controller.enqueue(encoder.encode(`${cells.join(',')}\r\n`));
          }
          if (!fakeServer.slowExport) controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/csv' } });
    },
    watch: (_, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function createPerson(place: number): FakePerson {
  const id = String(place);
  return {
    id,
    name: `${firstNames[place % firstNames.length]} ${lastNames[place % lastNames.length]} ${place}`,
    email: `person${place}@example.com`,
    role: place % 5 === 0 ? 'Administrator' : 'Member',
    active: !disabled.has(id) && place % 9 !== 8,
    signIns: place % 40,
    joinedAt: new Date(1.7e12 + place * 60_000).toISOString(),
    lastSeenAt: place % 3 === 0 ? null : new Date(1.71e12 + place * 60_000).toISOString(),
    leavesOn: place === 2 ? '2026-12-31' : null,
  };
}

/** Returns no match for "absent", one person for a full name, and undefined for other searches, which match twelve people. */
function foundPlaces(search: string | undefined): number[] | undefined {
  if (search === 'absent') return [];
  const place = Number(/ (\d+)$/.exec(search ?? '')?.[1] ?? NaN);
  return Number.isNaN(place) ? undefined : [place];
}

function matchingPlaces(filters: readonly GridCondition[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < searched; place += 1) {
    const person = createPerson(place);
    if (filters.every((filter) => matches(person, filter))) places.push(place);
  }
  return places;
}

function matches(person: FakePerson, filter: GridCondition): boolean {
  const { active, ...known } = person;
  const cells: Record<string, string | number | null> = { ...known, status: active ? 'active' : 'disabled' };
  const value = cells[filter.column] ?? null;
  switch (filter.is) {
    case 'contains':
      return String(value).toLowerCase().includes(filter.text.toLowerCase());
    case 'oneOf':
      return filter.values.includes(String(value));
    case 'empty':
      return value === null;
    case 'filled':
      return value !== null;
    case 'between':
      return (
        value !== null &&
        (filter.from === undefined || value >= filter.from) &&
        (filter.to === undefined || value < filter.to)
      );
  }
}
