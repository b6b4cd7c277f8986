import type { ErrorDefinition, RouteDefinition } from '@vestibule/contract/route';
import type { Plugin } from 'vite';
import { importFile } from './extension-files.ts';

/**
 * Reduces route definitions in the browser's build to method, path and access, and error definitions to code and status. The browser takes
 * error messages from the text catalogs, and only the server validates with the schemas: with them, every call would load the schema
 * library on the login screen. Schemas that a form imports directly remain.
 */
export function contractInBrowser(): Plugin {
  return {
    name: 'contract-in-browser',
    enforce: 'post',
    apply: 'build',
    transform: {
      // The contract and those of extensions.
      filter: { id: /\/contract\/src\/(?!route\.)[\w/-]+\.[jt]s$|\/extensions\/[\w-]+\/contract\.ts$/ },
      async handler(code, id) {
        const exported = await importFile(id);
        const parts: string[] = [];
        let from = 0;
        for (const statement of this.parse(code).body) {
          if (statement.type !== 'ExportNamedDeclaration') continue;
          if (statement.declaration?.type !== 'VariableDeclaration') continue;
          for (const { id: variable, init } of statement.declaration.declarations) {
            const short = variable.type === 'Identifier' ? inBrowser(exported[variable.name]) : undefined;
            if (!init || !short) continue;
            parts.push(code.slice(from, init.start), JSON.stringify(short));
            from = init.end;
          }
        }
        return from === 0 ? null : { code: parts.join('') + code.slice(from), map: null };
      },
    },
  };
}

/** Returns the browser's part of a route or of the errors of an area; undefined for other values. */
function inBrowser(value: unknown): object | undefined {
  if (isRoute(value)) return { method: value.method, path: value.path, access: value.access };
  if (!areErrors(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, { code, status }]) => [name, { code, status }]),
  );
}

const has = (value: unknown, ...names: string[]) =>
  typeof value === 'object' && value !== null && names.every((name) => name in value);

const isRoute = (value: unknown): value is RouteDefinition =>
  has(value, 'method', 'path', 'access', 'summary', 'response');

function areErrors(value: unknown): value is Record<string, ErrorDefinition> {
  const entries: unknown[] = has(value) ? Object.values(value as object) : [];
  return entries.length > 0 && entries.every((entry) => has(entry, 'code', 'status', 'message'));
}
