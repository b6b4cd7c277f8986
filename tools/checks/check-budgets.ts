/**
 * Bundle sizes and their budgets: gzip -9, in kB of 1000 bytes, from the manifest of Vite. Every figure includes all files that a
 * screen needs, each once.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { settingsRoutes } from '../../apps/web/texts.ts';
import { root } from '../install.mjs';

/** Size of a part of the web application; `limitKb` is absent if the figure only explains another one. */
type BudgetFigure = { name: string; kb: number; limitKb?: number };

type Chunk = { file: string; name?: string; imports?: string[]; css?: string[]; assets?: string[] };
type Manifest = Record<string, Chunk>;

const entry = 'index.html';
const provider = 'src/features/auth/provider/provider-client.ts';
const sessionAuth = 'src/features/auth/session-auth.ts';
const passkeys = 'src/features/auth/passkeys/login-panel.ts';
const application = 'src/application.tsx';
const pdfViewer = 'src/features/attachments/preview/pdf-pages.tsx';
const firstScreen = 'layout.dashboard';
const routeOf = (name: string) => `src/routes/${name}.tsx?tsr-split=component`;
const signedInScreen = /^src\/routes\/_signed-in\/(.+)\.tsx\?tsr-split=component$/;

/** Parts of every screen after sign-in, including MSAL. */
const signedInEntries = [entry, provider, application, routeOf('_signed-in')];

/** Measures the built web application. Throws if an expected part is missing. */
export async function measureBudgets(dist = path.join(root, 'apps/web/dist')): Promise<BudgetFigure[]> {
  const manifest = JSON.parse(await readFile(path.join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const size = sizes.get(file) ?? gzipSync(readFileSync(path.join(dist, file)), { level: 9 }).length;
    sizes.set(file, size);
    return size;
  };
  const kbOf = (files: string[]) => [...new Set(files)].reduce((sum, file) => sum + sizeOf(file), 0) / 1000;

  const languages = Object.keys(manifest).flatMap((key) => /^texts:[\w-]+(?=~)/.exec(key) ?? []);
  const textSize = (language: string) =>
    kbOf(
      Object.keys(manifest).flatMap((key) =>
        key.startsWith(`${language}~`) ? (manifest[key]?.file ?? []) : [],
      ),
    );
  const [language = ''] = languages.toSorted((one, other) => textSize(other) - textSize(one));
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
  const screens = Object.keys(manifest).filter(
    (key) => signedInScreen.test(key) && !settingsRoutes.test(`/${key}`),
  );
  const heaviest = (edition: string) =>
    Math.max(
      ...screens.map((one) => kbOf(scripts([...signedInEntries, one, `src/ui/grid/editions/${edition}.ts`]))),
    );
  const styles = collectChunks(manifest, [entry, provider]).flatMap(({ css = [] }) => css);

  const measured: [name: string, kb: number, limitKb?: number][] = [
    ['login, JavaScript', kbOf(withoutMsal(scripts([entry, provider]))), 14.5],
    ['login with server sessions, JavaScript', kbOf(scripts([entry, sessionAuth])), 14.5],
    ['login with passkeys, JavaScript', kbOf(scripts([entry, sessionAuth, passkeys])), 20.5],
    ['login, stylesheets', kbOf(styles), 10],
    ["provider's library (MSAL)", kbOf([msal]), 70],
    ['dashboard, all JavaScript', kbOf(dashboard), 235],
    ['dashboard, without MSAL', kbOf(withoutMsal(dashboard))],
    ['heaviest screen with a grid', heaviest('grid-community'), 520],
    ['the same with AG Grid Enterprise', heaviest('grid-enterprise'), 630],
    ['preview of a PDF, in addition', kbOf(viewer), 600],
  ];
  return measured.map(([name, kb, limitKb]) => ({ name, kb, ...(limitKb !== undefined && { limitKb }) }));
}

export const isOverBudget = ({ kb, limitKb = Infinity }: BudgetFigure): boolean => kb > limitKb;

export function formatBudgets(figures: BudgetFigure[]): string {
  return figures
    .map((figure) => {
      const limit = figure.limitKb === undefined ? '' : `  of at most ${figure.limitKb} kB`;
      const verdict = isOverBudget(figure) ? '  TOO MUCH' : '';
      return `   ${figure.name.padEnd(36)}${figure.kb.toFixed(1).padStart(6)} kB${limit}${verdict}`;
    })
    .join('\n');
}

/** Returns the text chunks that the screens wait for: the list of catalogs, and the parts of the screens. */
function textsFor(manifest: Manifest, language: string, starts: string[]): string[] {
  const isLater = starts.some((start) => (signedInScreen.exec(start)?.[1] ?? firstScreen) !== firstScreen);
  const keys = ['texts:catalogs', `${language}~common`, ...(isLater ? [`${language}~more`] : [])];
  return keys.flatMap((key) => manifest[key]?.file ?? []);
}

/** Returns the chunks and all their static imports, which load before their code runs. */
function collectChunks(manifest: Manifest, starts: string[]): Chunk[] {
  const reached = new Set(starts);
  for (const key of reached) {
    const chunk = manifest[key];
    if (chunk === undefined) throw noChunk(key);
    for (const next of chunk.imports ?? []) reached.add(next);
  }
  return [...reached].flatMap((key) => manifest[key] ?? []);
}

function noChunk(what: string): Error {
  return new Error(
    `The web build has no separate chunk for ${what}. If the chunks were changed on purpose, update tools/checks/check-budgets.ts.`,
  );
}
