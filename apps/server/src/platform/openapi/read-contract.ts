import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RouteDefinition } from '@vestibule/contract/route';
import type * as z from 'zod/mini';

/** Returns every route and schema of the contract with its name, found by reading its folder: `['listPeople', { method: 'GET', … }]`. */
export async function readContract(): Promise<{
  routes: [name: string, route: RouteDefinition][];
  schemas: [name: string, schema: z.ZodMiniType][];
}> {
  const entry = fileURLToPath(import.meta.resolve('@vestibule/contract/route'));
  const directory = path.dirname(entry);
  // `.ts`; `.js` in the package, next to declarations.
  const extension = path.extname(entry);
  const files = await readdir(directory, { recursive: true });
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith(extension) && !file.endsWith(`.test${extension}`))
      .toSorted()
      .map(
        (file) => import(pathToFileURL(path.join(directory, file)).href) as Promise<Record<string, unknown>>,
      ),
  );
  const exports = modules.flatMap((module) => Object.entries(module));
  const having = <Value>(property: string) =>
    exports.filter(
      (named): named is [string, Value] =>
        typeof named[1] === 'object' && named[1] !== null && property in named[1],
    );
  return { routes: having('access'), schemas: having('_zod') };
}
