/**
 * Build plugin for texts: Lingui's macros become lookups by id, and each language becomes several chunks, `texts:<language>~<part>`.
 * English is collected from the code; other languages are read from src/locales/<language>.po, with English for missing
 * translations. In development the English texts remain in the code.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { transformAsync, type Visitor } from '@babel/core';
import macros from '@lingui/babel-plugin-lingui-macro';
import { createCompiledCatalog, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import type { Messages } from '@lingui/core';
import type { Plugin, Rolldown } from 'vite';
import { readServerTexts } from './server-texts.ts';

const config = getConfig({ configPath: path.join(import.meta.dirname, 'lingui.config.ts') });

/** All languages; the first is the language of the code. */
export const languages = [config.sourceLocale ?? 'en', ...config.locales];

/** English texts by id, for each transformed module. */
export type CollectedTexts = Map<string, Map<string, string>>;

const routes = path.join(import.meta.dirname, 'src', 'routes');
const signedInRoutes = path.join(routes, '_signed-in');

/**
 * Chunks of a language: one for the texts of each single screen and of the palette; `common` for the frame and for texts shared
 * with it or with the first screen; `shared` for other texts of several screens; `server` for the server's messages
 * (server-texts.ts), which are English until it is loaded.
 */
const parts = [
  'common',
  'shared',
  'server',
  // The route `move` is a screen before sign-in that few users open.
  'move',
  'palette',
  // `layout.$`, the page for unknown addresses, has only two sentences.
  ...readdirSync(signedInRoutes).flatMap((name) =>
    name.endsWith('$.tsx') ? [] : path.basename(name, '.tsx'),
  ),
];

const firstScreen = 'layout.dashboard';
/** Parts whose loaders do not load `shared` as well. */
const standaloneParts = new Set(['common', 'shared', 'server', firstScreen]);

/** Modules that the command palette loads when it opens. */
const paletteModules = /\/features\/(?:palette\/[\w-]+-dialog|[\w-]+\/[\w-]+-finder)\.tsx?$/;

/** Modules whose texts are part of the page, because they are shown before sign-in and only in the page's language. */
export const pageModules = /\/features\/auth\/passkeys\//;

/** Content of a part's chunk until all modules are transformed. */
const placeholder = (language: string, part: string) => `__texts_${language}_${parts.indexOf(part)}__`;

type Modules = Pick<Rolldown.PluginContext, 'getModuleIds' | 'getModuleInfo'>;

/** Transforms Lingui's macros, and provides `texts:catalogs` and `texts:languages`. Adds the texts of a build to `collected`. */
export function texts(collected: CollectedTexts = new Map()): Plugin {
  let production = false;
  /** Part of each text, keyed by the text's id. Computed once for all chunks, because it traverses all modules. */
  let partOf: Map<string, string> | undefined;
  return {
    name: 'texts',
    enforce: 'pre',
    configResolved({ command }) {
      production = command === 'build';
    },
    resolveId: (id) => (id.startsWith('texts:') ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith('\0texts:')) return undefined;
      const [language = '', part = ''] = id.slice('\0texts:'.length).split('~');
      if (language === 'catalogs') return catalogsModule();
      if (language === 'languages') return `export const tags = ${JSON.stringify(languages)}`;
      if (production) return `export const messages = JSON.parse(${placeholder(language, part)})`;
      const all = part === 'common' ? await compileTexts(language, new Map()) : {};
      return `export const messages = ${JSON.stringify(all)}`;
    },
    async transform(code, id) {
      if (!/\.tsx?(?:\?|$)/.test(id) || !/\/macro'|\/\*i18n\*\//.test(code)) return undefined;
      const found = new Map<string, string>();
      if (production) collected.set(id, found);
      const result = await transformAsync(code, {
        filename: id.split('?')[0] ?? id,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: ['typescript', 'jsx'] },
        plugins: [
          [macros, { linguiConfig: config, stripMessageField: false }],
          ...(production ? [extractTexts(found)] : []),
        ],
      });
      return result;
    },
    renderStart() {
      partOf = undefined;
    },
    async renderChunk(code) {
      for (const language of languages)
        for (const part of parts) {
          const partPlaceholder = placeholder(language, part);
          if (!code.includes(partPlaceholder)) continue;
          const all = await compileTexts(language, collected);
          const assigned = (partOf ??= assignTexts(this, collected));
          const own = Object.entries(all).filter(([id]) => (assigned.get(id) ?? 'server') === part);
          const json = JSON.stringify(JSON.stringify(Object.fromEntries(own)));
          return { code: code.replace(partPlaceholder, () => json), map: null };
        }
      return null;
    },
  };
}

function catalogsModule(): string {
  const partImports = (language: string) =>
    parts
      .map((part) => {
        const own = `import('texts:${language}~${part}')`;
        const all = standaloneParts.has(part) ? own : `both(${own}, import('texts:${language}~shared'))`;
        return `${JSON.stringify(part)}: () => ${all}`;
      })
      .join();
  return `const both = async (...parts) => {
    const [own, shared] = await Promise.all(parts);
    return { messages: { ...own.messages, ...shared.messages } };
  };
  export const catalogs = {${languages.map((tag) => `${tag}: {${partImports(tag)}}`).join()}}`;
}

/**
 * Assigns each collected text to a part. Returns the parts, keyed by the text's id. A text of one screen belongs to that screen's part. A
 * text that the frame or the first screen also uses belongs to `common`. Other texts of several screens belong to `shared`. A text that
 * only the page contains belongs to `page`.
 */
function assignTexts(modules: Modules, collected: CollectedTexts): Map<string, string> {
  const partOfScreen = (id: string) =>
    paletteModules.test(id)
      ? 'palette'
      : parts.find((part) =>
          [routes, signedInRoutes].some(
            (folder) => id === `${path.join(folder, part)}.tsx?tsr-split=component`.replaceAll('\\', '/'),
          ),
        );
  const owners = new Map<string, Set<string>>();
  const visit = (id: string, owner: string): void => {
    const moduleOwners = owners.get(id) ?? new Set();
    if (
      moduleOwners.has(owner) ||
      (pageModules.test(id) && owner !== 'page') ||
      (partOfScreen(id) ?? owner) !== owner
    )
      return;
    owners.set(id, moduleOwners.add(owner));
    const info = modules.getModuleInfo(id);
    for (const next of [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])])
      visit(next, owner);
  };
  for (const id of modules.getModuleIds()) {
    const isFirst = modules.getModuleInfo(id)?.isEntry;
    const owner = partOfScreen(id) ?? (isFirst ? 'common' : pageModules.test(id) ? 'page' : undefined);
    if (owner) visit(id, owner);
  }
  const ownersOfText = new Map<string, Set<string>>();
  for (const [module, found] of collected)
    for (const id of found.keys())
      ownersOfText.set(id, new Set([...(ownersOfText.get(id) ?? []), ...(owners.get(module) ?? ['common'])]));
  return new Map(
    [...ownersOfText].map(([id, said]) => {
      const [tag = 'page', ...others] = [...said].filter((owner) => owner !== 'page');
      if (others.length === 0) return [id, tag];
      return [id, said.has('common') || said.has(firstScreen) ? 'common' : 'shared'];
    }),
  );
}

/** Compiles the messages of a language: those of the code, replaced by the translations in the language's file. */
export async function compileTexts(language: string, collected: CollectedTexts): Promise<Messages> {
  const said = Object.fromEntries([...collected.values()].flatMap((found) => [...found]));
  const all: Record<string, string> = { ...(await readServerTexts()), ...said };
  if (language !== languages[0])
    for (const catalog of await getCatalogs(config))
      for (const [id, { translation, obsolete }] of Object.entries(await catalog.read(language)))
        if (translation && !obsolete) all[id] = translation;
  const { source, errors } = createCompiledCatalog(language, all, { namespace: 'json' });
  const [error] = errors;
  if (error)
    throw new Error(`The text "${error.source}" (${language}) cannot be read: ${error.error.message}`);
  return (JSON.parse(source) as { messages: Messages }).messages;
}

/** Moves the English text of each descriptor created by the macros from the code to `found`. */
function extractTexts(found: Map<string, string>): { visitor: Visitor } {
  return {
    visitor: {
      ObjectExpression({ node }) {
        if (!node.leadingComments?.some(({ value }) => value === 'i18n')) return;
        const stringProperty = (name: string) =>
          node.properties.find(({ key }) => key?.name === name)?.value?.value;
        const id = stringProperty('id');
        const message = stringProperty('message');
        if (typeof id !== 'string' || typeof message !== 'string') return;
        found.set(id, message);
        node.properties = node.properties.filter(({ key }) => key?.name !== 'message');
      },
    },
  };
}
