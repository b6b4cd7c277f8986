/**
 * Build plugin for texts: Lingui's macros become lookups by id, and each language becomes four chunks, `texts:<language>~<part>`.
 * English is collected from the code; other languages are read from src/locales/<language>.po, with English for missing
 * translations. Extensions have their own files, extensions/<name>/locales/<language>.po. In development the English texts remain in the code.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { transformAsync, type Visitor } from '@babel/core';
import macros from '@lingui/babel-plugin-lingui-macro';
import { createCompiledCatalog, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import type { Messages } from '@lingui/core';
import { formatter } from '@lingui/format-po';
import type { Plugin, Rolldown } from 'vite';
import { extensionFiles, extensionOf } from './extension-files.ts';
import { readServerTexts } from './server-texts.ts';

const config = getConfig({ configPath: path.join(import.meta.dirname, 'lingui.config.ts') });

/** All languages; the first is the language of the code. */
export const languages = [config.sourceLocale ?? 'en', ...config.locales];

/** English texts by id, for each transformed module. */
export type CollectedTexts = Map<string, Map<string, string>>;

/**
 * Chunks of a language: `common` for the frame and the first screen, `more` for other screens and the palette, `settings` for settings,
 * the profile and sections of organizations, `server` for the server's messages (server-texts.ts), which are English until it is loaded.
 */
const parts = ['common', 'more', 'settings', 'server'];

/** Entries of the screens and dialogs whose texts are in `more` or `settings`. The root route loads that part for the same screens. */
const laterModules =
  /\/routes\/(?:move|_signed-in\/(?!layout\.dashboard)[^?]+)\.tsx\?tsr-split=component$|\/features\/(?:palette\/[\w-]+-dialog|[\w-]+\/[\w-]+-finder)\.tsx?$/;

/** Entries of the screens whose texts are in `settings`, unless other screens use them too. */
export const settingsRoutes =
  /\/_signed-in\/layout\.(?:settings|profile|organization\.\$slug\.(?:domains|integrations|sign-in))[^/]*\.tsx\?tsr-split=component$/;

/** Modules whose texts are part of the page, because they are shown before sign-in and only in the page's language. */
export const pageModules = /\/features\/auth\/(?:passkeys\/|sign-in\/(?:method-chooser|sentence)\.ts)/;

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
      if (!/\.tsx?(?:\?|$)/.test(id) || !/\/macro['"]|\/\*i18n\*\//.test(code)) return undefined;
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
          processTexts(idPrefix(extensionOf(id)), production ? found : undefined),
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
    parts.map((part) => `${part}: () => import('texts:${language}~${part}')`).join();
  return `export const catalogs = {${languages.map((tag) => `${tag}: {${partImports(tag)}}`).join()}}`;
}

/** Returns the part of each text of the application, keyed by the text's id. `page`: in the page only. */
function assignTexts(modules: Modules, collected: CollectedTexts): Map<string, string> {
  /** Returns the entries and all modules that are reached from them, except through the left-out ones. */
  const reach = (leftOut?: RegExp): Set<string> => {
    const reached = new Set([...modules.getModuleIds()].filter((id) => modules.getModuleInfo(id)?.isEntry));
    for (const id of reached) {
      const { importedIds = [], dynamicallyImportedIds = [] } = modules.getModuleInfo(id) ?? {};
      for (const next of [...importedIds, ...dynamicallyImportedIds])
        if (!leftOut?.test(next) && !pageModules.test(next)) reached.add(next);
    }
    return reached;
  };
  const first = reach(laterModules);
  const withoutSettings = reach(settingsRoutes);
  const all = reach();
  const partOf = (module: string) => {
    if (first.has(module)) return 'common';
    if (pageModules.test(module)) return 'page';
    // Modules of workers are not reached at all.
    return all.has(module) && !withoutSettings.has(module) ? 'settings' : 'more';
  };
  // A text in several modules belongs to the last of these parts.
  return new Map(
    ['page', 'settings', 'more', 'common'].flatMap((part) =>
      [...collected].flatMap(([module, found]) =>
        partOf(module) === part ? [...found.keys()].map((id) => [id, part] as const) : [],
      ),
    ),
  );
}

/** Compiles the messages of a language: those of the code, replaced by the translations in the language's file. */
export async function compileTexts(language: string, collected: CollectedTexts): Promise<Messages> {
  const said = Object.fromEntries([...collected.values()].flatMap((found) => [...found]));
  const server = await readServerTexts();
  const all: Record<string, string> = { ...server, ...said };
  if (language !== languages[0])
    for (const { catalog, extension } of await readCatalogs(language))
      for (const [id, { translation, obsolete }] of Object.entries(catalog))
        // Messages of the server have their codes as ids.
        if (translation && !obsolete) all[id in server ? id : idPrefix(extension) + id] = translation;
  const { source, errors } = createCompiledCatalog(language, all, { namespace: 'json' });
  const [error] = errors;
  if (error)
    throw new Error(`The text "${error.source}" (${language}) cannot be read: ${error.error.message}`);
  return (JSON.parse(source) as { messages: Messages }).messages;
}

/** Separates the texts of an extension: the same English text may have another translation in the product. */
const idPrefix = (extension: string | undefined) => (extension === undefined ? '' : `${extension}:`);

/** Returns the product's catalog of a language, and those of extensions. */
async function readCatalogs(language: string) {
  const format = formatter();
  const context = { locale: language, sourceLocale: languages[0] ?? '' };
  const [catalogs, extensions] = await Promise.all([
    getCatalogs(config),
    Promise.all(
      extensionFiles(path.join('locales', `${language}.po`)).map(async (filename) => ({
        catalog: await format.parse(await readFile(filename, 'utf8'), { ...context, filename }),
        extension: extensionOf(filename),
      })),
    ),
  ]);
  const own = await Promise.all(catalogs.map((catalog) => catalog.read(language)));
  return [...own.map((catalog) => ({ catalog, extension: undefined })), ...extensions];
}

/** Adds the prefix to the id of each descriptor created by the macros, and moves its English text from the code to `found`. */
function processTexts(prefix: string, found: Map<string, string> | undefined): { visitor: Visitor } {
  return {
    visitor: {
      ObjectExpression({ node }) {
        if (!node.leadingComments?.some(({ value }) => value === 'i18n')) return;
        const property = (name: string) => node.properties.find(({ key }) => key?.name === name)?.value;
        const id = property('id');
        const message = property('message')?.value;
        if (typeof id?.value !== 'string') return;
        // A node may be visited twice.
        if (!id.value.startsWith(prefix)) id.value = prefix + id.value;
        if (!found || typeof message !== 'string') return;
        found.set(id.value as string, message);
        node.properties = node.properties.filter(({ key }) => key?.name !== 'message');
      },
    },
  };
}
