/**
 * Bundle sizes and their budgets: gzip -9, in kB of 1000 bytes, from the manifest of Vite. Every figure includes all files that a
 * screen needs, each once.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { root } from '../install.mjs';

/** Size of a part of the web application; `limitKb` is absent if the figure only explains another one. */
type BudgetFigure = { name: string; kb: number; limitKb?: number };

type Chunk = {
  file: string;
  name?: string;
  imports?: string[];
  css?: string[];
  assets?: string[];
};
type Manifest = Record<string, Chunk>;

const entry = 'index.html';
const provider = 'src/features/auth/provider/provider-client.ts';
const sessionAuth = 'src/features/auth/session-auth.ts';
const passkeys = 'src/features/auth/passkeys/login-panel.ts';
const application = 'src/application.tsx';
const pdfViewer = 'src/features/attachments/preview/pdf-pages.tsx';
const routeOf = (name: string) => `src/routes/${name}.tsx?tsr-split=component`;
const signedInScreen = /^src\/routes\/_signed-in\/(.+)\.tsx\?tsr-split=component$/;

/** Parts of every screen after sign-in, including MSAL. */
const signedInEntries = [entry, provider, application, routeOf('_signed-in')];

/** Measures a built web application (its `dist` folder). Throws if an expected part is missing. */
export async function measureBudgets(dist: string): Promise<BudgetFigure[]> {
  const manifest = JSON.parse(await readFile(path.join(dist, '.vite', 'manifest.json'), 'utf8')) as Manifest;
  const sizes = new Map<string, Promise<number>>();
  const measureSize = async (files: Iterable<string>): Promise<number> => {
    let bytes = 0;
    for (const file of new Set(files)) {
      const weight = sizes.get(file) ?? gzippedSize(path.join(dist, file));
      sizes.set(file, weight);
      bytes += await weight;
    }
    return bytes / 1000;
  };
  const language = await heaviestLanguage(manifest, measureSize);
  const scripts = (starts: string[]) => [
    ...collectChunks(manifest, starts).map(({ file }) => file),
    ...(starts.includes(application) ? textsFor(manifest, language, starts) : []),
  ];
  const msal = Object.values(manifest).find(({ name }) => name === 'msal')?.file;
  if (msal === undefined) throw noChunk('the chunk "msal"');
  const withoutMsal = (files: string[]) => files.filter((file) => file !== msal);

  const dashboard = scripts([...signedInEntries, routeOf('_signed-in/layout.dashboard')]);
  // The worker is loaded by URL: the manifest lists it as an asset, not an import.
  const viewer = collectChunks(manifest, [pdfViewer])
    .flatMap(({ file, assets = [] }) => [file, ...assets])
    .filter((file) => !dashboard.includes(file));
  const heaviestGridSize = async (grid: string): Promise<number> => {
    const screens = Object.keys(manifest).filter((key) => signedInScreen.test(key));
    return Math.max(
      ...(await Promise.all(
        screens.map((screen) => measureSize(scripts([...signedInEntries, screen, grid]))),
      )),
    );
  };
  return [
    {
      name: 'login, JavaScript',
      kb: await measureSize(withoutMsal(scripts([entry, provider]))),
      limitKb: 14.5,
    },
    {
      name: 'login led by the server, JavaScript',
      kb: await measureSize(scripts([entry, sessionAuth])),
      limitKb: 14.5,
    },
    {
      name: 'login with passkeys, JavaScript',
      kb: await measureSize(scripts([entry, sessionAuth, passkeys])),
      limitKb: 20.5,
    },
    {
      name: 'login, stylesheets',
      kb: await measureSize(collectChunks(manifest, [entry, provider]).flatMap(({ css = [] }) => css)),
      limitKb: 10,
    },
    { name: "provider's library (MSAL)", kb: await measureSize([msal]), limitKb: 70 },
    { name: 'dashboard, all JavaScript', kb: await measureSize(dashboard), limitKb: 235 },
    { name: 'dashboard, without MSAL', kb: await measureSize(withoutMsal(dashboard)) },
    {
      name: 'heaviest screen with a grid',
      kb: await heaviestGridSize('src/ui/grid/editions/grid-community.ts'),
      limitKb: 510,
    },
    {
      name: 'the same with AG Grid Enterprise',
      kb: await heaviestGridSize('src/ui/grid/editions/grid-enterprise.ts'),
      limitKb: 620,
    },
    { name: 'preview of a PDF, in addition', kb: await measureSize(viewer), limitKb: 600 },
  ];
}

export function isOverBudget({ kb, limitKb }: BudgetFigure): boolean {
  return limitKb !== undefined && kb > limitKb;
}

export function formatBudgets(figures: BudgetFigure[]): string {
  return figures
    .map((figure) => {
      const limit = figure.limitKb === undefined ? '' : `  of at most ${figure.limitKb} kB`;
      const verdict = isOverBudget(figure) ? '  TOO MUCH' : '';
      return `   ${figure.name.padEnd(34)}${figure.kb.toFixed(1).padStart(6)} kB${limit}${verdict}`;
    })
    .join('\n');
}

async function heaviestLanguage(
  manifest: Manifest,
  measureSize: (files: string[]) => Promise<number>,
): Promise<string> {
  const files = Map.groupBy(
    Object.entries(manifest).filter(([key]) => key.startsWith('texts:')),
    ([key]) => key.split('~')[0] ?? '',
  );
  const weights = await Promise.all(
    [...files].map(async ([language, parts]) => ({
      language,
      kb: await measureSize(parts.map(([, { file }]) => file)),
    })),
  );
  const [heaviestGridSize] = weights.toSorted((one, other) => other.kb - one.kb);
  if (heaviestGridSize === undefined) throw noChunk('the texts of a language');
  return heaviestGridSize.language;
}

/** Returns the text chunks that the screens wait for: the catalog list, common texts, shared texts and those of the screens. */
function textsFor(manifest: Manifest, language: string, starts: string[]): string[] {
  const screens = starts.flatMap((start) => signedInScreen.exec(start)?.[1] ?? []);
  const shared = screens.some((screen) => screen !== 'layout.dashboard') ? ['shared'] : [];
  const keys = ['texts:catalogs', ...['common', ...shared, ...screens].map((part) => `${language}~${part}`)];
  return keys.flatMap((key) => manifest[key]?.file ?? []);
}

/** Returns the chunks and all their static imports, which load before their code runs. */
function collectChunks(manifest: Manifest, starts: string[]): Chunk[] {
  const reached = new Set<string>();
  const visit = (key: string): void => {
    if (reached.has(key)) return;
    reached.add(key);
    for (const next of find(manifest, key).imports ?? []) visit(next);
  };
  for (const start of starts) visit(start);
  return [...reached].map((key) => find(manifest, key));
}

function find(manifest: Manifest, key: string): Chunk {
  const chunk = manifest[key];
  if (chunk === undefined) throw noChunk(key);
  return chunk;
}

function noChunk(what: string): Error {
  return new Error(
    `The web build has no separate chunk for ${what}. If the chunks were changed on purpose, update tools/checks/check-budgets.ts.`,
  );
}

async function gzippedSize(file: string): Promise<number> {
  return (await promisify(gzip)(await readFile(file), { level: 9 })).length;
}

if (import.meta.main) {
  const figures = await measureBudgets(path.join(root, 'apps', 'web', 'dist'));
  console.log(formatBudgets(figures));
  process.exitCode = figures.some(isOverBudget) ? 1 : 0;
}
