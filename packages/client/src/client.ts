/**
 * Typed client of the Vestibule API. Every route of the contract that accepts an access token becomes a
 * method with the route's name and types.
 */
import * as activity from '@vestibule/contract/activity';
import * as dashboard from '@vestibule/contract/dashboard';
import * as invitations from '@vestibule/contract/invitations';
import * as batches from '@vestibule/contract/invitations/batches';
import * as previews from '@vestibule/contract/invitations/preview';
import * as people from '@vestibule/contract/people';
import * as removed from '@vestibule/contract/people/removed';
import * as resets from '@vestibule/contract/people/sign-in-reset';
import type { RouteDefinition, RouteRequest, RouteResult } from '@vestibule/contract/route';
import * as identities from '@vestibule/contract/sign-in/identities';
import * as sessions from '@vestibule/contract/sign-in/sessions';
import { createSender, type Request, type SenderOptions } from './send-request.ts';

export { VestibuleError } from './send-request.ts';

const modules = {
  ...activity,
  ...dashboard,
  ...invitations,
  ...batches,
  ...previews,
  ...people,
  ...removed,
  ...resets,
  ...identities,
  ...sessions,
};
type Modules = typeof modules;
type TokenRoute = RouteDefinition & { readonly scope: string };
/** A route that returns a page of a list. */
type ListRoute = TokenRoute & {
  readonly query: { readonly shape: { readonly offset: unknown; readonly limit: unknown } };
};

type SignalOption = { signal?: AbortSignal };
type Arguments<Payload> =
  Partial<Payload> extends Payload ? [request?: Payload & SignalOption] : [request: Payload & SignalOption];
type MethodResult<R extends RouteDefinition> = R extends { media: readonly string[] }
  ? ReadableStream<Uint8Array>
  : RouteResult<R>;
type Row<R extends RouteDefinition> = RouteResult<R> extends { rows: readonly (infer One)[] } ? One : never;

/** One method per route that accepts a token: `client.invite({ body: { email } })`. Exports return a stream. */
type Methods = {
  [Name in keyof Modules as Modules[Name] extends TokenRoute ? Name : never]: Modules[Name] extends TokenRoute
    ? (...request: Arguments<RouteRequest<Modules[Name]>>) => Promise<MethodResult<Modules[Name]>>
    : never;
};
/** Iterators over all rows of a list, fetched page by page: `for await (const person of client.each.listPeople())`. */
type RowIterators = {
  [Name in keyof Modules as Modules[Name] extends ListRoute ? Name : never]: Modules[Name] extends ListRoute
    ? (...request: Arguments<RouteRequest<Modules[Name]>>) => AsyncGenerator<Row<Modules[Name]>, void>
    : never;
};
export type VestibuleClient = Methods & { readonly each: RowIterators };

const pageSize = 100;

/** `url` is the site's address, `token` an access token (`vst_…`). Failed requests throw `VestibuleError`. */
export function createVestibuleClient(options: SenderOptions): VestibuleClient {
  const send = createSender(options);
  const routes = Object.entries<unknown>(modules).filter((entry): entry is [string, TokenRoute] =>
    isTokenRoute(entry[1]),
  );

  const methods = routes.map(([name, route]) => [name, (request: Request = {}) => send(route, request)]);
  const lists = routes
    .filter(([, { query }]) => query !== undefined && 'offset' in query.shape && 'limit' in query.shape)
    .map(([name, route]) => [name, (request: Request = {}) => iterateRows(route, request)]);
  return { ...Object.fromEntries(methods), each: Object.fromEntries(lists) } as VestibuleClient;

  /**
   * Rows may leave the list while it is read, for example if the caller disables the listed active people. Later rows then move to earlier
   * positions. Therefore pages overlap by one row; if the overlapping row is missing, the previous page is read again. The values that the
   * list is sorted by must not change.
   */
  async function* iterateRows(route: TokenRoute, request: Request): AsyncGenerator<unknown, void> {
    const start = Number(request.query?.['offset'] ?? 0);
    // At least 2, because one row overlaps with the previous page.
    const limit = Math.max(Number(request.query?.['limit'] ?? pageSize), 2);
    const yieldedIds = new Set<string>();
    let offset = start;
    for (;;) {
      const query = { part: 'rows', ...request.query, offset, limit };
      const { rows } = (await send(route, { ...request, query })) as { rows: { id: string }[] };
      if (offset > start && !yieldedIds.has(rows[0]?.id ?? '')) {
        offset = Math.max(start, offset - limit + 1);
        continue;
      }
      for (const row of rows) {
        if (yieldedIds.has(row.id)) continue;
        yieldedIds.add(row.id);
        yield row;
      }
      if (rows.length < limit) return;
      offset += limit - 1;
    }
  }
}

const isTokenRoute = (value: unknown): value is TokenRoute =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'scope' in value;
