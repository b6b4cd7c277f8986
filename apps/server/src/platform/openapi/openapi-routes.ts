import type { Area } from '../area.ts';
import { describeApi } from './openapi.ts';
import { apiPagePolicy, renderApiPage } from './openapi-page.ts';

/**
 * Serves `/api/openapi.json` for programs and `/api/docs` for people (statement H5), generated at the first request.
 */
export function apiDescription(areas: Area[], options: Parameters<typeof describeApi>[1]): Area {
  const make = () => {
    const routes = areas.flatMap((area) => area.routes.map(({ route }) => route));
    const api = describeApi(routes, options);
    return { document: JSON.stringify(api), page: renderApiPage(api) };
  };
  let made: ReturnType<typeof make> | undefined;
  const config = { access: 'public' } as const;
  return {
    routes: [],
    plugin(app) {
      app.get('/api/openapi.json', { config }, (_request, reply) =>
        reply
          .type('application/json')
          .header('cache-control', 'no-cache')
          .send((made ??= make()).document),
      );
      app.get('/api/docs', { config }, (_request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .headers({ 'cache-control': 'no-cache', 'content-security-policy': apiPagePolicy })
          .send((made ??= make()).page),
      );
    },
  };
}
