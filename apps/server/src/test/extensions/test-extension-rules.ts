import { randomUUID } from 'node:crypto';
import type { RouteDefinition } from '@vestibule/contract/route';
import type { OrganizationSite } from '../../features/organizations/test-organizations.ts';
import type { QueryConfig } from '../../platform/database/database.ts';
import { findUnchangedTexts } from './test-texts.ts';

/** JSON whose parts are normalized when it is parsed. */
const parsedLater = ['filters'];

/**
 * Returns the violations of the rules for extensions, as sentences: who may call a route, rate limits, normalized texts,
 * and the columns by which lists can be sorted.
 */
export async function findRuleViolations(site: OrganizationSite): Promise<string[]> {
  const violations: string[] = [];
  for (const route of site.t.extensionRoutes) {
    const name = `${route.method} ${route.path}`;
    const isWrite = route.method !== 'GET' && route.access !== 'admin';
    if (isWrite && !route.errors?.some(({ status }) => status === 429))
      violations.push(`${name} changes data and declares no error with status 429 (rate limit).`);
    for (const text of findUnchangedTexts(route))
      if (!parsedLater.includes(text))
        violations.push(`${name}: ${text} is not normalized. Use lineOfText or linesOfText.`);
    for (const [caller, token, expected] of callersOf(site, route)) {
      const found = await statusOf(site, route, token);
      if (found !== expected)
        violations.push(`${name}, called by ${caller}, returns ${found} instead of ${expected}.`);
    }
    if (route.query && 'sort' in route.query.shape) violations.push(...(await checkSorts(site, route, name)));
  }
  return violations;
}

/** Returns the callers who have no access, with the status that they get. */
function callersOf(
  { a, b }: OrganizationSite,
  { access }: RouteDefinition,
): [name: string, token: string | undefined, status: number][] {
  if (access === 'public') return [];
  return [
    ['an anonymous caller', undefined, 401],
    ...(access === 'admin' ? ([['a member', a.member.token, 403]] as [string, string, number][]) : []),
    ...(typeof access === 'object'
      ? ([['a manager of another organization', b.manager.token, 404]] as [string, string, number][])
      : []),
  ];
}

/** Calls a route about organization A with unknown ids and an empty body. */
async function statusOf(
  { t, a }: OrganizationSite,
  { method, path, body }: RouteDefinition,
  token: string | undefined,
  query = '',
): Promise<number> {
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    name === 'organizationId' ? a.id : randomUUID(),
  );
  const response = await t.app.inject({
    method,
    url: `${url}${query}`,
    headers: {
      'vestibule-organization': a.id,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { payload: {} }),
  });
  return response.statusCode;
}

/** Checks that a list can be sorted by each column, for a list of the site with an index. */
async function checkSorts(site: OrganizationSite, route: RouteDefinition, name: string): Promise<string[]> {
  const { t, admin } = site;
  const violations: string[] = [];
  const schema = route.query?.shape['sort'] as { def?: { innerType?: { options?: string[] } } } | undefined;
  for (const sort of schema?.def?.innerType?.options ?? []) {
    let page = '';
    const query = t.database.query.bind(t.database);
    t.database.query = (config: QueryConfig) => {
      if (config.text.includes('page_id')) page = config.text;
      return query(config);
    };
    const status = await statusOf(site, route, admin.token, `?sort=${sort}`);
    t.database.query = query;
    if (status !== 200) violations.push(`${name} returns ${status} when it is sorted by ${sort}.`);
    else if (typeof route.access === 'string' && !(await hasIndex(site, page)))
      violations.push(`${name} has no index (column, id) for sorting by ${sort}.`);
  }
  return violations;
}

/** Returns whether the sorted column has an index; a column of another table needs none. */
async function hasIndex({ t }: OrganizationSite, page: string): Promise<boolean> {
  const [, table = ''] = /page_id from (?:\(select [^()]+? from )*(\w+)/.exec(page) ?? [];
  const [, column = '', collation = ''] = /order by (\w+)( collate \w+)?/.exec(page) ?? [];
  const columns = await t.select`
    select from pg_attribute where attrelid = ${table}::regclass and attname = ${column}`;
  const indexes = await t.select<{ definition: string }>`
    select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = ${table}::regclass`;
  const indexed = `(${column}${collation.replace('collate', 'COLLATE')}, id)`;
  return columns.length === 0 || indexes.some(({ definition }) => definition.includes(indexed));
}
