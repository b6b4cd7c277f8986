import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RouteDefinition } from '@vestibule/contract/route';

const directory = path.dirname(fileURLToPath(import.meta.resolve('@vestibule/contract/route')));
const modules = await Promise.all(
  readdirSync(directory)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => import(path.join(directory, file)) as Promise<Record<string, unknown>>),
);

/** Every route that the contract declares, found by reading its folder, so that a new one is tested unasked. */
export const contractRoutes: RouteDefinition[] = modules
  .flatMap((module) => Object.values(module))
  .filter(
    (value): value is RouteDefinition => typeof value === 'object' && value !== null && 'access' in value,
  );
