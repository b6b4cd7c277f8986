import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RouteDefinition } from '@vestibule/contract/route';

/** Returns every route of the contract with its name, found by reading its folder: `['listPeople', { method: 'GET', … }]`. */
export async function readContractRoutes(): Promise<[name: string, route: RouteDefinition][]> {
  const entry = fileURLToPath(import.meta.resolve('@vestibule/contract/route'));
  const directory = path.dirname(entry);
  // `.ts`; `.js` in the package, next to declarations.
  const extension = path.extname(entry);
  const files = await readdir(directory, { recursive: true });
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith(extension) && !file.endsWith(`.test${extension}`))
      .map(
        (file) => import(pathToFileURL(path.join(directory, file)).href) as Promise<Record<string, unknown>>,
      ),
  );
  return modules
    .flatMap((module) => Object.entries(module))
    .filter((named): named is [string, RouteDefinition] => isRoute(named[1]));
}

const isRoute = (value: unknown): boolean => typeof value === 'object' && value !== null && 'access' in value;
