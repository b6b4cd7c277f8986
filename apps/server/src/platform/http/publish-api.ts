import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi.ts';
import { apiPagePolicy, renderApiPage } from './openapi-page.ts';

/** Serves the API's description: `/api/openapi.json` for programs and `/api/docs` for people (statement H5). */
export function publishApi(app: FastifyInstance, api: OpenApiDocument): void {
  const document = JSON.stringify(api);
  const page = renderApiPage(api);
  const config = { access: 'public' } as const;
  app.get('/api/openapi.json', { config }, (_request, reply) =>
    reply.type('application/json').header('cache-control', 'no-cache').send(document),
  );
  app.get('/api/docs', { config }, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': apiPagePolicy })
      .send(page),
  );
}
