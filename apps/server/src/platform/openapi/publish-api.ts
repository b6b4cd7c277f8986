import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi.ts';
import { apiPagePolicy, renderApiPage } from './openapi-page.ts';

/** Serves the API's description: `/api/openapi.json` for programs and `/api/docs` for people (statement H5). Made when it is first asked for. */
export function publishApi(app: FastifyInstance, describe: () => OpenApiDocument): void {
  const make = () => {
    const api = describe();
    return { document: JSON.stringify(api), page: renderApiPage(api) };
  };
  let made: ReturnType<typeof make> | undefined;
  const config = { access: 'public' } as const;
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
}
