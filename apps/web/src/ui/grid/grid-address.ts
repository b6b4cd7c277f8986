/** The list state of a grid, and its search parameters in the address of the page. */
import type { GridFilter, GridSort } from './grid-query.ts';
import { readFilters } from './filters/read-filters.ts';
import { toSingleLine } from './filters/single-line.ts';

/** Search parameters of a grid. For an absent parameter, the screen's default applies. */
export type GridAddress = {
  tab?: string | undefined;
  /** Text of the search box. */
  q?: string | undefined;
  /** Column id, preceded by a minus for descending order. */
  sort?: string | undefined;
  filters?: GridFilter[] | undefined;
};

/**
 * Returns the valid search parameters. Invalid parameters are undefined instead of missing: the router keeps parameters that the result
 * does not name.
 */
export function readGridAddress({ tab, q, sort, filters }: Record<string, unknown>): GridAddress {
  const validFilters = readFilters(filters);
  // The router parses digits as a number.
  const searchText = toSingleLine(typeof q === 'string' || typeof q === 'number' ? String(q) : '').slice(
    0,
    200,
  );
  return {
    tab: typeof tab === 'string' && /^\w{1,40}$/.test(tab) ? tab : undefined,
    q: searchText || undefined,
    sort: typeof sort === 'string' && /^-?\w{1,40}$/.test(sort) ? sort : undefined,
    filters: validFilters.length > 0 ? validFilters : undefined,
  };
}

export type GridListState = {
  tab: string | undefined;
  search: string;
  filters: readonly GridFilter[];
  order: GridSort | undefined;
};

export function parseListState(
  { tab, q = '', sort, filters = [] }: GridAddress,
  defaultSort: GridSort | undefined,
): GridListState {
  const [, minus, column] = /^(-?)(\w+)$/.exec(sort ?? '') ?? [];
  const order = column ? ({ column, direction: minus ? 'desc' : 'asc' } as const) : defaultSort;
  return { tab, search: q, filters, order };
}

/** Returns the address of a list state. Defaults are undefined instead of missing, so that the router removes them. */
export function addressOf(
  { tab, search, filters, order }: GridListState,
  defaultSort: GridSort | undefined,
): GridAddress {
  const text = order && `${order.direction === 'desc' ? '-' : ''}${order.column}`;
  const isUsual = JSON.stringify(order) === JSON.stringify(defaultSort);
  return {
    tab,
    q: search.trim() || undefined,
    sort: isUsual ? undefined : text,
    filters: filters.length > 0 ? [...filters] : undefined,
  };
}
