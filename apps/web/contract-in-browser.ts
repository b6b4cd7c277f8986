import type { Plugin } from 'vite';

/** What the browser needs to know of a route to call it. */
const kept = new Set(['method', 'path', 'access']);

/**
 * Leaves only method, path and access of a route definition in the browser's build. The schemas are the server's
 * to check; without this every call would bring the schema library onto the login screen. A schema that a form
 * imports by itself stays.
 */
export function contractInBrowser(): Plugin {
  return {
    name: 'contract-in-browser',
    enforce: 'post',
    apply: 'build',
    transform: {
      filter: { id: /packages\/contract\/src\/(?!route\.ts)[\w/-]+\.ts$/ },
      handler(code) {
        const cuts: { start: number; end: number }[] = [];
        for (const statement of this.parse(code).body) {
          const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
          if (declaration?.type !== 'VariableDeclaration') continue;
          for (const { init } of declaration.declarations) {
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
                cuts.push({ start: property.start, end: property.end });
          }
        }
        let short = code;
        for (const { start, end } of cuts.toReversed())
          short = short.slice(0, start) + short.slice(end).replace(/^\s*,/, '');
        return cuts.length > 0 ? { code: short, map: null } : null;
      },
    },
  };
}
