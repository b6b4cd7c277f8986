/** Build plugin for the extensions of a project: `<project>/extensions/*\/screens.tsx` become the module `virtual:extensions`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { readDefinitions } from './extension-definitions.ts';
import { extensionFiles, extensionsDirectory } from './extension-files.ts';

const virtual = 'virtual:extensions';
const source = path.join(import.meta.dirname, 'src');
const entry = path.join(source, 'screens.ts');

/** Without extensions, the application contains no code for them. */
const withoutExtensions = [
  'export const addScreens = () => {};',
  'export const DashboardCards = () => null;',
  'export const activityText = () => undefined;',
  'export const extensionSettings = [];',
  'export const ExtensionSection = () => null;',
].join('\n');

export function extensions(directory = extensionsDirectory): Plugin {
  /** Path patterns of screens that extensions define, and the file of each. */
  const screens = new Map<string, string>();
  return {
    name: 'extensions',
    // The project and the packages are outside of Vite's root.
    config: () =>
      directory === undefined
        ? null
        : { server: { fs: { allow: [path.dirname(directory), path.join(import.meta.dirname, '../..')] } } },
    configureServer(server) {
      if (!directory) return;
      server.watcher.add(directory);
      server.watcher.on('all', (event, file) => {
        if (event !== 'change' && path.basename(file) === 'screens.tsx') void server.restart();
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
        `export const { addScreens, DashboardCards, activityText } =`,
        `  createExtensions([${files.map((_, index) => `extension${index}`).join(', ')}]);`,
        `export const extensionSettings = ${JSON.stringify(settings)};`,
        `export const ExtensionSection = lazy(() => import(${JSON.stringify(section)}));`,
      ].join('\n');
    },
    transform: {
      order: 'post',
      handler(code, id) {
        const [file = ''] = id.split('?');
        if (!directory || path.basename(file) !== 'screens.tsx' || !file.startsWith(directory)) return;
        for (const screen of readPaths(this.parse(code))) {
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

type Node = { type: string; [property: string]: unknown };

/** Returns the full paths in the lists `screens` and `organizationScreens` of `defineScreens`. */
function readPaths(program: object): string[] {
  const within: Record<string, string> = {
    screens: '/layout/',
    organizationScreens: '/layout/organization/$slug/',
  };
  const found: string[] = [];
  const visit = (node: unknown, prefix: string | undefined): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, prefix);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, key, value } = node as Node & { key?: { name?: string }; value?: Node };
    const name = type === 'Property' ? key?.name : undefined;
    if (name === 'path' && prefix && typeof value?.['value'] === 'string')
      found.push(prefix + value['value']);
    const next = (name !== undefined && within[name]) || prefix;
    for (const child of Object.values(node)) visit(child, next);
  };
  visit(program, undefined);
  return found;
}
