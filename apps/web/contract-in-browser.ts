import type { ErrorDefinition } from '@vestibule/contract/route';
import type { Plugin } from 'vite';

/** What the browser needs to know of a route to call it. */
const kept = new Set(['method', 'path', 'access']);

/**
 * Leaves only method, path and access of a route definition in the browser's build, and only code and status of an error: its
 * sentence is in the catalogs. The schemas are the server's to check; without this every call would bring the schema library onto
 * the login screen. A schema that a form imports by itself stays.
 */
export function contractInBrowser(): Plugin {
  return {
    name: 'contract-in-browser',
    enforce: 'post',
    apply: 'build',
    transform: {
      filter: { id: /packages\/contract\/src\/(?!route\.ts)[\w/-]+\.ts$/ },
      async handler(code, id) {
        const exported = (await import(id)) as Record<string, unknown>;
        const changes: { start: number; end: number; instead: string }[] = [];
        for (const statement of this.parse(code).body) {
          const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
          if (declaration?.type !== 'VariableDeclaration') continue;
          for (const { id: variable, init } of declaration.declarations) {
            const errors = variable.type === 'Identifier' ? exported[variable.name] : undefined;
            if (init && areErrors(errors)) {
              const short = Object.entries(errors).map(([name, { code: of, status }]) => [
                name,
                { code: of, status },
              ]);
              changes.push({
                start: init.start,
                end: init.end,
                instead: JSON.stringify(Object.fromEntries(short)),
              });
            }
            if (
              init?.type !== 'CallExpression' ||
              init.callee.type !== 'Identifier' ||
              init.callee.name !== 'defineRoute'
            )
              continue;
            const [route] = init.arguments;
            if (route?.type !== 'ObjectExpression') continue;
            for (const property of route.properties)
              if (
                property.type === 'Property' &&
                property.key.type === 'Identifier' &&
                !kept.has(property.key.name)
              )
                changes.push({ start: property.start, end: property.end, instead: '' });
          }
        }
        let short = code;
        for (const { start, end, instead } of changes.toReversed()) {
          const rest = instead ? short.slice(end) : short.slice(end).replace(/^\s*,/, '');
          short = short.slice(0, start) + instead + rest;
        }
        return changes.length > 0 ? { code: short, map: null } : null;
      },
    },
  };
}

/** A table of `defineErrors`. */
function areErrors(value: unknown): value is Record<string, ErrorDefinition> {
  if (typeof value !== 'object' || value === null) return false;
  const entries: unknown[] = Object.values(value);
  return (
    entries.length > 0 &&
    entries.every(
      (one) =>
        typeof one === 'object' && one !== null && 'status' in one && 'code' in one && 'message' in one,
    )
  );
}
