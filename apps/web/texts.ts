/**
 * Build plugin for texts: Lingui's macros become lookups by id, and each language becomes three chunks, `texts:<language>~<part>`.
 * English is collected from the code; other languages are read from src/locales/<language>.po, with English for missing
 * translations. In development the English texts remain in the code.
 */
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

/**
 * Chunks of a language: `common` for the frame and the first screen, `more` for other screens and the palette, `server` for the
 * server's messages (server-texts.ts), which are English until it is loaded.
 */
const parts = ['common', 'more', 'server'];

/** Entries of the screens and dialogs whose texts are in `more`. The root route loads that part for the same screens. */
const laterModules =
  /\/routes\/(?:move|_signed-in\/(?!layout\.dashboard)[^?]+)\.tsx\?tsr-split=component$|\/features\/(?:palette\/[\w-]+-dialog|[\w-]+\/[\w-]+-finder)\.tsx?$/;

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
    parts.map((part) => `${part}: () => import('texts:${language}~${part}')`).join();
  return `export const catalogs = {${languages.map((tag) => `${tag}: {${partImports(tag)}}`).join()}}`;
}

/** Returns the part of each text of the application, keyed by the text's id. `page`: in the page only. */
function assignTexts(modules: Modules, collected: CollectedTexts): Map<string, string> {
  const first = new Set([...modules.getModuleIds()].filter((id) => modules.getModuleInfo(id)?.isEntry));
  for (const id of first) {
    const { importedIds = [], dynamicallyImportedIds = [] } = modules.getModuleInfo(id) ?? {};
    for (const next of [...importedIds, ...dynamicallyImportedIds])
      if (!laterModules.test(next) && !pageModules.test(next)) first.add(next);
  }
  const partOf = (module: string) =>
    first.has(module) ? 'common' : pageModules.test(module) ? 'page' : 'more';
  // A text in several modules belongs to the last of these parts.
  return new Map(
    ['page', 'more', 'common'].flatMap((part) =>
      [...collected].flatMap(([module, found]) =>
        partOf(module) === part ? [...found.keys()].map((id) => [id, part] as const) : [],
      ),
    ),
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
