import type { Area } from '../area.ts';
import { shareComponents } from './components.ts';
import { readContract } from './read-contract.ts';
import { describeApi, describeSchemas } from './openapi.ts';
import { apiPagePolicy, renderApiPage } from './openapi-page.ts';

/** Serves `/api/openapi.json` for programs and `/api/docs` for people (statement H5), generated at the first request. */
export function apiDescription(
  areas: Area[],
  options: Omit<Parameters<typeof describeApi>[1], 'names'>,
): Area {
  const make = async () => {
    const routes = areas.flatMap((area) => area.routes.map(({ route }) => route));
    const contract = await readContract();
    const names = new Map(contract.routes.map(([name, { method, path }]) => [`${method} ${path}`, name]));
    const api = describeApi(routes, { ...options, names });
    const document = JSON.stringify(shareComponents(api, describeSchemas(contract.schemas)));
    return { document, page: renderApiPage(api) };
  };
  let made: ReturnType<typeof make> | undefined;
  const config = { access: 'public' } as const;
  return {
    routes: [],
    plugin(app) {
      app.get('/api/openapi.json', { config }, async (_request, reply) =>
        reply
          .type('application/json')
          .header('cache-control', 'no-cache')
          .send((await (made ??= make())).document),
      );
      app.get('/api/docs', { config }, async (_request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .headers({ 'cache-control': 'no-cache', 'content-security-policy': apiPagePolicy })
          .send((await (made ??= make())).page),
      );
    },
  };
}
