/** What a grid is asked for, as the address of its screen says it: whoever opens the address sees the same list. */
import { singleLine, readFilters, type GridFilter, type GridSort } from './grid-query.ts';

/** Absent is what the screen shows by itself. */
export type GridAddress = {
  /** The id of a tab. */
  tab?: string | undefined;
  /** What stands in the search box. */
  q?: string | undefined;
  /** The id of a column, with a minus before it for downwards. */
  sort?: string | undefined;
  filters?: GridFilter[] | undefined;
};

/**
 * An address in which anybody can write anything: what means nothing is undefined. Every name is there, for a router keeps of what it
 * was given whatever nobody names.
 */
export function readGridAddress({ tab, q, sort, filters }: Record<string, unknown>): GridAddress {
  const known = readFilters(filters);
  // The router reads digits as a number.
  const words = singleLine(typeof q === 'string' || typeof q === 'number' ? String(q) : '').slice(0, 200);
  return {
    tab: typeof tab === 'string' && /^\w{1,40}$/.test(tab) ? tab : undefined,
    q: words || undefined,
    sort: typeof sort === 'string' && /^-?\w{1,40}$/.test(sort) ? sort : undefined,
    filters: known.length > 0 ? known : undefined,
  };
}

/** All that a grid is asked for. */
export type GridAsked = {
  tab: string | undefined;
  search: string;
  filters: readonly GridFilter[];
  order: GridSort | undefined;
};

/** `usual` is the order that the screen shows by itself. */
export function askedBy(
  { tab, q = '', sort, filters = [] }: GridAddress,
  usual: GridSort | undefined,
): GridAsked {
  const [, minus, column] = /^(-?)(\w+)$/.exec(sort ?? '') ?? [];
  const order = column ? ({ column, direction: minus ? 'desc' : 'asc' } as const) : usual;
  return { tab, search: q, filters, order };
}

/** The address of what is asked: every name is there, so that what is not asked any more leaves the address. */
export function addressOf(
  { tab, search, filters, order }: GridAsked,
  usual: GridSort | undefined,
): GridAddress {
  const text = order && `${order.direction === 'desc' ? '-' : ''}${order.column}`;
  const isUsual = JSON.stringify(order) === JSON.stringify(usual);
  return {
    tab,
    q: search.trim() || undefined,
    sort: isUsual ? undefined : text,
    filters: filters.length > 0 ? [...filters] : undefined,
  };
}
