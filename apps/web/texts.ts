/**
 * The texts of the web application while it is built: Lingui's macros become lookups by id, and every language becomes
 * a few chunks, `texts:<language>~<part>`. English is collected from the code; the others come from src/locales/<language>.po, where
 * what is not translated yet stays English. In development the English texts stay in the code.
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

/** All languages: the one of the code first. */
export const languages = [config.sourceLocale ?? 'en', ...config.locales];

/** The English texts of each module that has been transformed, by id. */
export type CollectedTexts = Map<string, Map<string, string>>;

/** The screens, one file each: those behind the door in a folder of their own. */
const routes = path.join(import.meta.dirname, 'src', 'routes');
const inside = path.join(routes, '_signed-in');

/**
 * What a language is loaded in: `common`; one part for each screen, and the palette, with what no other one says; `shared`, what several screens say, but
 * neither the frame nor the first screen; and `server`, what the server says (server-texts.ts), which may come late, since it is
 * English until then.
 */
const parts = [
  'common',
  'shared',
  'server',
  // Before the door, and loaded by hardly anybody.
  'move',
  'palette',
  // `layout.$` is shown where no screen is: two sentences are not worth a part.
  ...readdirSync(inside).flatMap((name) => (name.endsWith('$.tsx') ? [] : path.basename(name, '.tsx'))),
];

const firstScreen = 'layout.dashboard';
/** Those that come alone; the others bring what they share. */
const alone = new Set(['common', 'shared', 'server', firstScreen]);

/** What the command palette loads when it opens. */
const ofPalette = /\/features\/(?:palette\/[\w-]+-dialog|[\w-]+\/[\w-]+-finder)\.tsx?$/;

/** Whose texts the page itself brings: they are shown before anybody is inside, and never in another language than the page's. */
export const beforeTheDoor = /\/features\/auth\/passkeys\//;

/** What stands in a part's chunk until all modules are known. */
const placeholder = (language: string, part: string) => `__texts_${language}_${parts.indexOf(part)}__`;

/** The modules of a build, as far as it takes to find out who says what. */
type Modules = Pick<Rolldown.PluginContext, 'getModuleIds' | 'getModuleInfo'>;

/** Lets the macros work, and provides `texts:catalogs` and `texts:languages`. `collected` is filled with the texts of a build. */
export function texts(collected: CollectedTexts = new Map()): Plugin {
  let production = false;
  /** Which part each text belongs to, found out once for all chunks: it takes a walk through all modules. */
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
          ...(production ? [takeTexts(found)] : []),
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
          const place = placeholder(language, part);
          if (!code.includes(place)) continue;
          const all = await compileTexts(language, collected);
          const assigned = (partOf ??= assignTexts(this, collected));
          const own = Object.entries(all).filter(([id]) => (assigned.get(id) ?? 'server') === part);
          const json = JSON.stringify(JSON.stringify(Object.fromEntries(own)));
          return { code: code.replace(place, () => json), map: null };
        }
      return null;
    },
  };
}

function catalogsModule(): string {
  const importsOf = (language: string) =>
    parts
      .map((part) => {
        const own = `import('texts:${language}~${part}')`;
        const all = alone.has(part) ? own : `both(${own}, import('texts:${language}~shared'))`;
        return `${JSON.stringify(part)}: () => ${all}`;
      })
      .join();
  return `const both = async (...parts) => {
    const [own, shared] = await Promise.all(parts);
    return { messages: { ...own.messages, ...shared.messages } };
  };
  export const catalogs = {${languages.map((one) => `${one}: {${importsOf(one)}}`).join()}}`;
}

/**
 * The part of each collected text: of the one screen that leads to the modules which say it, `shared` of several, `common` where the
 * frame or the first screen says it too; `page` where the page itself brings it.
 */
function assignTexts(modules: Modules, collected: CollectedTexts): Map<string, string> {
  const screenOf = (id: string) =>
    ofPalette.test(id)
      ? 'palette'
      : parts.find((part) =>
          [routes, inside].some(
            (folder) => id === `${path.join(folder, part)}.tsx?tsr-split=component`.replaceAll('\\', '/'),
          ),
        );
  const owners = new Map<string, Set<string>>();
  const visit = (id: string, owner: string): void => {
    const known = owners.get(id) ?? new Set();
    if (known.has(owner) || (beforeTheDoor.test(id) && owner !== 'page') || (screenOf(id) ?? owner) !== owner)
      return;
    owners.set(id, known.add(owner));
    const info = modules.getModuleInfo(id);
    for (const next of [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])])
      visit(next, owner);
  };
  for (const id of modules.getModuleIds()) {
    const isFirst = modules.getModuleInfo(id)?.isEntry;
    const owner = screenOf(id) ?? (isFirst ? 'common' : beforeTheDoor.test(id) ? 'page' : undefined);
    if (owner) visit(id, owner);
  }
  const owned = new Map<string, Set<string>>();
  for (const [module, found] of collected)
    for (const id of found.keys())
      owned.set(id, new Set([...(owned.get(id) ?? []), ...(owners.get(module) ?? ['common'])]));
  return new Map(
    [...owned].map(([id, said]) => {
      const [one = 'page', ...others] = [...said].filter((owner) => owner !== 'page');
      if (others.length === 0) return [id, one];
      return [id, said.has('common') || said.has(firstScreen) ? 'common' : 'shared'];
    }),
  );
}

/** The messages of a language as Lingui looks them up: of the code, and of the language's file. */
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

/** Moves the English text of every descriptor that the macros made out of the code. */
function takeTexts(found: Map<string, string>): { visitor: Visitor } {
  return {
    visitor: {
      ObjectExpression({ node }) {
        if (!node.leadingComments?.some(({ value }) => value === 'i18n')) return;
        const valueOf = (name: string) => node.properties.find(({ key }) => key?.name === name)?.value?.value;
        const id = valueOf('id');
        const message = valueOf('message');
        if (typeof id !== 'string' || typeof message !== 'string') return;
        found.set(id, message);
        node.properties = node.properties.filter(({ key }) => key?.name !== 'message');
      },
    },
  };
}
