/** Ties the tabs of a grid to a route of the contract that counts groups. */
import type { RouteDefinition } from '@vestibule/contract/route';
import { countMaximum } from '@vestibule/contract/rules/limits';
import { call } from '../call.ts';

type CountsRoute = RouteDefinition & { answer: { _zod: { output: Record<string, number> } } };

/** The grid's `countTabs` for such a route. The tabs carry the names of the groups. */
export function fetchCountsFrom(route: CountsRoute) {
  return async (signal: AbortSignal): Promise<Record<string, { count: number; more: boolean }>> => {
    const counts = await call(route, { signal });
    return Object.fromEntries(
      Object.entries(counts).map(([group, count]) => [
        group,
        { count: Math.min(count, countMaximum), more: count > countMaximum },
      ]),
    );
  };
}
