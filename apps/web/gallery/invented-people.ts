import type { GridPage } from '../src/ui/grid-pages.ts';
import type { GridQuery } from '../src/ui/grid-query.ts';

/** Somebody who does not exist. */
export interface InventedPerson {
  id: string;
  name: string;
  email: string;
  role: 'Member' | 'Administrator';
  active: boolean;
  joinedAt: string;
  lastSeenAt: string | null;
}

const firstNames = ['Ada', 'Grace', 'Linus', 'Barbara', 'Edsger', 'Katherine'];
const lastNames = ['Lovelace', 'Hopper', 'Torvalds', 'Liskov', 'Dijkstra', 'Johnson', 'Hamilton'];
const disabled = new Set<string>();

/** What the tests may change and read from outside. */
export const inventedServer = { total: 1_000_000, failing: false, queries: [] as GridQuery[] };

/** Answers as a server with a million people would, 20 ms away. */
export async function fetchInventedPeople(
  query: GridQuery,
  signal: AbortSignal,
): Promise<GridPage<InventedPerson>> {
  inventedServer.queries.push(query);
  await new Promise((resolve) => setTimeout(resolve, 20));
  signal.throwIfAborted();
  if (inventedServer.failing)
    throw new Error('The server could not be reached. Check your connection and try again.');
  const total = query.search === 'nobody' ? 0 : query.search ? 12 : inventedServer.total;
  const length = Math.max(0, Math.min(query.limit, total - query.offset));
  const place = (row: number) => (query.sort?.direction === 'desc' ? total - 1 - row : row);
  return { rows: Array.from({ length }, (_, row) => invent(place(query.offset + row))), total };
}

/** Takes effect at the next fetch. */
export async function disable(person: InventedPerson): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  disabled.add(person.id);
}

function invent(place: number): InventedPerson {
  const id = String(place);
  return {
    id,
    name: `${firstNames[place % firstNames.length]} ${lastNames[place % lastNames.length]} ${place}`,
    email: `person${place}@example.com`,
    role: place % 5 === 0 ? 'Administrator' : 'Member',
    active: !disabled.has(id) && place % 9 !== 8,
    joinedAt: new Date(1.7e12 + place * 60_000).toISOString(),
    lastSeenAt: place % 3 === 0 ? null : new Date(1.71e12 + place * 60_000).toISOString(),
  };
}
