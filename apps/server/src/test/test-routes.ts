import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RouteDefinition } from '@vestibule/contract/route';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';

const entry = fileURLToPath(import.meta.resolve('@vestibule/contract/route'));
const directory = path.dirname(entry);
/** `.ts`; `.js` in the package, next to declarations. */
const extension = path.extname(entry);
const modules = await Promise.all(
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension) && !file.endsWith(`.test${extension}`))
    .map((file) => import(path.join(directory, file)) as Promise<Record<string, unknown>>),
);

/** Every route of the contract, found by reading its folder. */
export const contractRoutes: RouteDefinition[] = modules
  .flatMap((module) => Object.values(module))
  .filter(
    (value): value is RouteDefinition => typeof value === 'object' && value !== null && 'access' in value,
  );

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
