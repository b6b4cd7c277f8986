/** Build plugin for the extensions of a project: `<project>/extensions/*\/screens.tsx` become the module `virtual:extensions`. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { readDefinitions, readPermissions } from './extension-definitions.ts';
import { definitionFiles, extensionFiles, extensionsDirectory } from './extension-files.ts';

const virtual = 'virtual:extensions';
const source = path.join(import.meta.dirname, 'src');
const entry = path.join(source, 'screens.ts');

/** Without extensions, the application contains no code for them. */
const withoutExtensions = [
  'export const addScreens = () => {};',
  'export const DashboardCards = () => null;',
  'export const activityText = () => undefined;',
  'export const withColumns = (list, columns) => columns;',
  'export const withValues = (list, fetchPage) => fetchPage;',
  'export const extensionSettings = [];',
  'export const ExtensionSection = () => null;',
].join('\n');

export function extensions(directory = extensionsDirectory): Plugin {
  /** Path patterns of screens that extensions define, and the file of each. */
  const screens = new Map<string, string>();
  return {
    name: 'extensions',
    // The project and the packages are outside of Vite's root.
    config: () => ({
      server: { fs: { allow: [path.dirname(directory), path.join(import.meta.dirname, '../..')] } },
    }),
    configureServer(server) {
      // For a missing directory, the watcher would ignore all other files of the parent directory.
      if (existsSync(directory)) server.watcher.add(directory);
      server.watcher.on('all', (event, file) => {
        const changesScreens = event !== 'change' && path.basename(file) === 'screens.tsx';
        // The catalogs contain the labels of definitions.
        const changesTexts = path.extname(file) === '.po' || definitionFiles(directory).includes(file);
        if (changesScreens || changesTexts) void server.restart();
      });
    },
    async resolveId(id, importer, options) {
      if (id === virtual) return `\0${virtual}`;
      if (id !== '@vestibule/web/screens') return undefined;
      // Only the parts of the public entry that an extension imports become part of the build, also their stylesheets.
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      return { ...(resolved ?? { id: entry }), moduleSideEffects: false };
    },
    async load(id) {
      if (id !== `\0${virtual}`) return undefined;
      const files = extensionFiles('screens.tsx', directory);
      const settings = (await readDefinitions(directory)).flatMap(
        ({ name, label = name, settings: own = {} }) =>
          Object.keys(own).length === 0
            ? []
            : [{ name, label, settings: Object.entries(own).map(([setting, one]) => [setting, one.label]) }],
      );
      if (files.length + settings.length === 0) return withoutExtensions;
      const section = path.join(source, 'features/settings/sections/extension-section.tsx');
      return [
        `import { lazy } from 'react';`,
        `import createExtensions from ${JSON.stringify(path.join(source, 'extensions', 'create-extensions.tsx'))};`,
        ...files.map((file, index) => `import extension${index} from ${JSON.stringify(file)};`),
        `export const { addScreens, DashboardCards, activityText, withColumns, withValues } =`,
        `  createExtensions([${files.map((_, index) => `extension${index}`).join(', ')}]);`,
        `export const extensionSettings = ${JSON.stringify(settings)};`,
        `export const ExtensionSection = lazy(() => import(${JSON.stringify(section)}));`,
      ].join('\n');
    },
    transform: {
      order: 'post',
      async handler(code, id) {
        const [file = ''] = id.split('?');
        if (path.basename(file) !== 'screens.tsx' || !file.startsWith(directory)) return;
        const parts = readParts(this.parse(code));
        const unknown = await findUnknownPermission(parts, path.basename(path.dirname(file)), directory);
        if (unknown !== undefined) this.error(unknown);
        for (const part of parts) {
          const prefix = prefixes[part.list];
          if (part.path === undefined || prefix === undefined) continue;
          const screen = prefix + part.path;
          const other = screens.get(screen) ?? productScreen(screen);
          if (other !== undefined && other !== file)
            this.error(
              `Two screens have the path ${screen}: in ${other} and in ${file}. Change one of them.`,
            );
          screens.set(screen, file);
        }
      },
    },
  };
}

/** Returns the file with the product's screens if one of them has the path. */
function productScreen(screen: string): string | undefined {
  const file = path.join(source, 'route-tree.gen.ts');
  return readFileSync(file, 'utf8').includes(`fullPath: '${screen}'`) ? file : undefined;
}

/** Lists of `defineScreens` whose parts may have a permission. Screens have paths below these prefixes. */
const prefixes: Record<string, string | undefined> = {
  screens: '/layout/',
  organizationScreens: '/layout/organization/$slug/',
  dashboardCards: undefined,
};

/** Properties of an object in one of the lists, if they are literals. */
type Part = { list: string; path?: string; id?: string; permission?: string };

/** Returns a sentence about the first part with a permission that does not exist. */
async function findUnknownPermission(parts: readonly Part[], extension: string, directory: string) {
  const known = await readPermissions(directory);
  const part = parts.find(
    ({ permission }) => permission !== undefined && known?.includes(permission) === false,
  );
  if (!known || !part) return undefined;
  const name = part.list === 'dashboardCards' ? `dashboard card ${part.id}` : `screen ${part.path}`;
  return `The ${name} of the extension ${extension} needs the permission ${part.permission}, which no extension defines. Known permissions: ${known.join(', ')}.`;
}

type Node = { type: string; [property: string]: unknown };
type Property = { key?: { name?: string }; value?: { value?: unknown } };

/** Returns the objects in the lists of `defineScreens`. */
function readParts(program: object): Part[] {
  const found: Part[] = [];
  const visit = (node: unknown, list: string | undefined): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, list);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, key, properties } = node as Node & Property & { properties?: Property[] };
    if (type === 'ObjectExpression' && list !== undefined)
      found.push({ list, ...Object.fromEntries((properties ?? []).flatMap(literalOf)) });
    const next = type === 'Property' && key?.name !== undefined && key.name in prefixes ? key.name : list;
    for (const child of Object.values(node)) visit(child, next);
  };
  visit(program, undefined);
  return found;
}

function literalOf({ key, value }: Property): [name: string, value: string][] {
  return ['path', 'id', 'permission'].includes(key?.name ?? '') && typeof value?.value === 'string'
    ? [[key?.name ?? '', value.value]]
    : [];
}
