import type { ErrorDefinition, RouteDefinition } from '@vestibule/contract/route';
import type { Plugin, Rolldown } from 'vite';

type Statements = ReturnType<Rolldown.PluginContext['parse']>['body'];

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
        if (from === 0) return null;
        const short = parts.join('') + code.slice(from);
        return { code: withoutUnused(short, this.parse(short).body), map: null };
      },
    },
  };
}

/**
 * What only schemas needed goes with them: reading a text or an error counts as an effect, which would keep all of them, and an import
 * stands in the same chunk as whatever imports it, used or not.
 */
function withoutUnused(code: string, body: Statements): string {
  const all = body.map((statement) => ({
    names: namesOf(statement),
    text: code.slice(statement.start, statement.end),
  }));
  const isUsed = ({ names }: (typeof all)[number], own: number) =>
    names === null ||
    all.some(({ text }, other) => other !== own && names.some((name) => wordIn(text, name)));
  const left = body.filter((_, index) => all[index] && isUsed(all[index], index));
  return left.length < body.length ? withoutUnused(code, left) : all.map(({ text }) => text).join('\n');
}

/** What a statement declares for its own module; null where it does something else. */
function namesOf(statement: Statements[number]): string[] | null {
  if (statement.type === 'ImportDeclaration') return statement.specifiers.map(({ local }) => local.name);
  if (statement.type !== 'VariableDeclaration') return null;
  return statement.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : ''));
}

const wordIn = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text);

/** What the browser needs to know of a route, or of the errors of an area; undefined for anything else. */
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
  has(value, 'method', 'path', 'access', 'summary', 'answer');

function areErrors(value: unknown): value is Record<string, ErrorDefinition> {
  const entries: unknown[] = has(value) ? Object.values(value as object) : [];
  return entries.length > 0 && entries.every((one) => has(one, 'code', 'status', 'message'));
}
