import type { RouteDefinition } from '@vestibule/contract/route';
import { countMaximum } from '@vestibule/contract/rules/limits';
import { call } from '../call.ts';

type CountsRoute = RouteDefinition & { answer: { _zod: { output: Record<string, number> } } };

/** Returns a grid's `countTabs` for a counting route; tab names are the route's group names. */
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
