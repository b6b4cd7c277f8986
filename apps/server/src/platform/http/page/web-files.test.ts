/** Link headers of the page, from the manifest of the build. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { serveWebFiles } from './web-files.ts';

const manifest = {
  'index.html': { file: 'assets/main-0.js' },
  'src/features/auth/session-auth.ts': { file: 'assets/led-1.js', imports: ['_start.js', 'index.html'] },
  'src/features/auth/passkeys/login-panel.ts': { file: 'assets/passkeys-10.js', imports: ['_start.js'] },
  '_start.js': { file: 'assets/start-2.js' },
  'src/application.tsx': { file: 'assets/application-3.js', imports: ['index.html', '_start.js'] },
  'src/routes/_signed-in.tsx?tsr-split=component': {
    file: 'assets/frame-4.js',
    css: ['assets/frame-5.css'],
    imports: ['src/application.tsx'],
  },
  'src/routes/_signed-in/layout.dashboard.tsx?tsr-split=component': { file: 'assets/dashboard-6.js' },
  'texts:catalogs': { file: 'assets/catalogs-7.js' },
  'texts:en~common': { file: 'assets/en-8.js' },
  'texts:de~common': { file: 'assets/de-9.js' },
};

const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-web-'));
for (const folder of ['assets', '.vite']) mkdirSync(path.join(directory, folder));
for (const page of ['index.html', 'index.de.html'])
  writeFileSync(path.join(directory, page), '<!doctype html><title>Portal</title>');
writeFileSync(path.join(directory, 'assets', 'main-0.js'), 'export {};');
writeFileSync(path.join(directory, '.vite', 'manifest.json'), JSON.stringify(manifest));
const app = Fastify();
const response = await serveWebFiles(app, {
  directory,
  pagePolicy: "default-src 'none'",
  mainChunk: 'src/features/auth/session-auth.ts',
  signedOutChunks: ['src/features/auth/passkeys/login-panel.ts'],
  preloadHeaders: ({ headers }) => [
    '/api/config',
    ...(headers.cookie === undefined ? [] : ['/api/me?a=b%2Cc']),
  ],
});
app.setNotFoundHandler(response as (request: unknown, reply: unknown) => unknown);
afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true });
});

async function linksOf(url: string, headers: Record<string, string> = {}): Promise<string[]> {
  const { link } = (await app.inject({ url, headers })).headers;
  return typeof link === 'string' ? link.split(', ') : [];
}
const first = [
  '</api/config>; rel=preload; as=fetch; crossorigin',
  '</assets/led-1.js>; rel=modulepreload',
  '</assets/start-2.js>; rel=modulepreload',
];
const signedInFiles = [
  ...first,
  '</assets/application-3.js>; rel=modulepreload',
  '</assets/frame-4.js>; rel=modulepreload',
  '</assets/catalogs-7.js>; rel=modulepreload',
  '</assets/en-8.js>; rel=modulepreload',
];

test('pages for signed-in users preload all scripts of their screen', async () => {
  expect(await linksOf('/layout/people')).toEqual(signedInFiles);
  expect(await linksOf('/layout/dashboard?days=7')).toEqual([
    ...signedInFiles,
    '</assets/dashboard-6.js>; rel=modulepreload',
  ]);
});

test.each(['/', '/login', '/signup?i=code', '/layoutx'])(
  '%s preloads the scripts for signing in and prefetches those of the first screen',
  async (url) => {
    const prefetched = [
      'application-3.js',
      'frame-4.js',
      'frame-5.css',
      'catalogs-7.js',
      'en-8.js',
      'dashboard-6.js',
    ];
    const shown = '</assets/passkeys-10.js>; rel=modulepreload';
    expect(await linksOf(url)).toEqual([
      ...first,
      shown,
      ...prefetched.map((name) => `</assets/${name}>; rel=prefetch`),
    ]);
  },
);

test('the first API requests are preloaded with the page', async () => {
  expect((await linksOf('/', { cookie: 'a=b' })).slice(0, 2)).toEqual([
    '</api/config>; rel=preload; as=fetch; crossorigin',
    '</api/me?a=b%2Cc>; rel=preload; as=fetch; crossorigin',
  ]);
});

test('the preloaded texts are in the language of the page', async () => {
  const german = await linksOf('/layout/people', { 'accept-language': 'de' });
  expect(german.at(-1)).toBe('</assets/de-9.js>; rel=modulepreload');
});

test.each([
  '/.well-known/change-password',
  '/.well-known/apple-app-site-association',
  '/wp-login.php',
  '/health',
  '/healthz/ready',
  '/liveness',
  '/ready',
])('returns 404 for %s, which is no screen', async (url) => {
  expect((await app.inject({ url, headers: { accept: 'text/html' } })).statusCode).toBe(404);
});

test('files, and the page in a frame, have no Link header (B1)', async () => {
  expect(await linksOf('/', { 'sec-fetch-dest': 'iframe' })).toEqual([]);
  expect(await linksOf('/assets/main-0.js')).toEqual([]);
});
