/**
 * The texts of the web application while it is built: Lingui's macros become lookups by id, and every language becomes
 * one chunk, `texts:<language>`. English is collected from the code; the others come from src/locales/<language>.po, where
 * what is not translated yet stays English. In development the English texts stay in the code.
 */
import path from 'node:path';
import { transformAsync, type Visitor } from '@babel/core';
import macros from '@lingui/babel-plugin-lingui-macro';
import { createCompiledCatalog, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import type { Messages } from '@lingui/core';
import type { Plugin } from 'vite';

const config = getConfig({ configPath: path.join(import.meta.dirname, 'lingui.config.ts') });

/** All languages: the one of the code first. */
export const languages = [config.sourceLocale ?? 'en', ...config.locales];

/** The texts of the modules that have been transformed, by id. */
export type CollectedTexts = Map<string, string>;

/** What stands in the catalog's chunk until all modules are known. */
const placeholder = (language: string) => `__texts_of_${language}__`;

/** Lets the macros work, and provides `texts:catalogs`. `collected` is filled with the texts of a build. */
export function texts(collected: CollectedTexts = new Map()): Plugin {
  let production = false;
  return {
    name: 'texts',
    enforce: 'pre',
    configResolved({ command }) {
      production = command === 'build';
    },
    resolveId: (id) => (id.startsWith('texts:') ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith('\0texts:')) return undefined;
      const language = id.slice('\0texts:'.length);
      if (language === 'catalogs')
        return `export const catalogs = {${languages.map((one) => `${one}: () => import('texts:${one}')`).join()}}`;
      return production
        ? `export const messages = JSON.parse(${placeholder(language)})`
        : `export const messages = ${JSON.stringify(await compileTexts(language, new Map()))}`;
    },
    async transform(code, id) {
      if (!/\.tsx?(?:\?|$)/.test(id) || !/\/macro'|\/\*i18n\*\//.test(code)) return undefined;
      const result = await transformAsync(code, {
        filename: id.split('?')[0] ?? id,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: ['typescript', 'jsx'] },
        plugins: [
          [macros, { linguiConfig: config, stripMessageField: false }],
          ...(production ? [takeTexts(collected)] : []),
        ],
      });
      return result;
    },
    async renderChunk(code) {
      for (const language of languages) {
        if (!code.includes(placeholder(language))) continue;
        const json = JSON.stringify(await compileTexts(language, collected));
        return { code: code.replace(placeholder(language), () => JSON.stringify(json)), map: null };
      }
      return null;
    },
  };
}

/** The messages of a language as Lingui looks them up: of the code, and of the language's file. */
export async function compileTexts(language: string, collected: CollectedTexts): Promise<Messages> {
  const all = Object.fromEntries(collected);
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

/** Moves the English text of every descriptor that the macros made out of the code. */
function takeTexts(collected: CollectedTexts): { visitor: Visitor } {
  return {
    visitor: {
      ObjectExpression({ node }) {
        if (!node.leadingComments?.some(({ value }) => value === 'i18n')) return;
        const valueOf = (name: string) => node.properties.find(({ key }) => key?.name === name)?.value?.value;
        const id = valueOf('id');
        const message = valueOf('message');
        if (typeof id !== 'string' || typeof message !== 'string') return;
        collected.set(id, message);
        node.properties = node.properties.filter(({ key }) => key?.name !== 'message');
      },
    },
  };
}
