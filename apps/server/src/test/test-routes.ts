import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RouteDefinition } from '@vestibule/contract/route';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { readContract } from '../platform/openapi/read-contract.ts';

/** Every route of the contract. */
export const contractRoutes: RouteDefinition[] = (await readContract()).routes.map(([, route]) => route);

type MountedRoute = { key: string; method: string; url: string; config: FastifyContextConfig };

/** Returns the result of `create` and the routes that it registers. HEAD is listed only for paths without GET. */
export async function watchRoutes<App>(create: () => Promise<App>): Promise<[App, MountedRoute[]]> {
  const routes = new Map<string, MountedRoute>();
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method: methods, url, config = {} }) => {
      for (const method of [methods].flat())
        routes.set(`${method} ${url}`, { key: `${method} ${url}`, method, url, config });
    });
  };
  // Fastify announces itself during construction, which `create` does before its first await.
  subscribe('fastify.initialization', watch);
  const creating = create();
  unsubscribe('fastify.initialization', watch);
  const app = await creating;
  const listed = [...routes.values()].filter(
    ({ method, url }) => method !== 'HEAD' || !routes.has(`GET ${url}`),
  );
  return [app, listed];
}
