/**
 * Serves the built web application: precompressed assets with hashed names, cached permanently, and its page in the
 * user's language for every screen. A missing asset or an unknown path below /api/ gets a 404 (statement A6).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { languageOfRequest, sourceLanguage } from '@vestibule/contract/rules/language';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Responds with the page, or with 404 for a path that cannot be a screen. */
type SendPage = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Registers the assets and returns the handler for all other paths. */
export async function serveWebFiles(
  app: FastifyInstance,
  options: {
    directory: string;
    pagePolicy: string;
    /** Source file of the first lazily loaded chunk, for preloading. */
    mainChunk: string;
    /** Source files of the chunks for visitors who are not signed in. */
    signedOutChunks: string[];
    /** Returns the API URLs that the page requests first, for preloading. */
    preloadHeaders: (request: FastifyRequest) => string[];
  },
): Promise<SendPage> {
  const { directory, pagePolicy, mainChunk, signedOutChunks, preloadHeaders } = options;
  const isBuilt = existsSync(path.join(directory, 'index.html'));
  /** The build writes one page per language: index.html in English, index.de.html in German. */
  const languages = isBuilt
    ? readdirSync(directory).flatMap((name) => /^index\.([\w-]+)\.html$/.exec(name)?.[1] ?? [])
    : [];
  const filesOf = isBuilt ? readManifest(directory) : () => [];
  const links = new Map([sourceLanguage, ...languages].map((language) => [language, linksFor(language)]));
  await app.register(fastifyStatic, {
    root: directory,
    serve: isBuilt,
    wildcard: true,
    index: false,
    preCompressed: true,
    cacheControl: false,
    etag: true,
    dotfiles: 'ignore',
    setHeaders(reply, file) {
      if (file.includes(`${path.sep}assets${path.sep}`))
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
      else if (path.basename(file).startsWith('index.')) setPageHeaders(reply);
      else void reply.header('cache-control', 'public, max-age=3600');
    },
  });

  function setPageHeaders(reply: FastifyReply) {
    void reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': pagePolicy,
      'cross-origin-opener-policy': 'same-origin',
      vary: 'accept-encoding, accept-language, cookie',
    });
    // A page in a frame only passes on the provider's response (statement B1) and needs none of these files.
    if (reply.request.headers['sec-fetch-dest'] === 'iframe') return;
    const [address = ''] = reply.request.url.split('?');
    const signedInLinks = address === dashboard ? 'dashboard' : 'signedIn';
    const files = links.get(languageOf(reply.request))?.[
      address.startsWith('/layout/') ? signedInLinks : 'signedOut'
    ];
    // Must match the credentials mode of `fetch`, otherwise the browser requests twice.
    const preloads = preloadHeaders(reply.request).map(
      (url) => `<${url}>; rel=preload; as=fetch; crossorigin`,
    );
    const link = [...preloads, ...(files ? [files] : [])].join(', ');
    if (link) void reply.header('link', link);
  }

  const languageOf = ({ headers }: FastifyRequest) =>
    languageOfRequest(headers, [sourceLanguage, ...languages]);
  const fileIn = (language: string) =>
    language === sourceLanguage ? 'index.html' : `index.${language}.html`;
  /** Signed-in users need all chunks at once; during a sign-in the browser prefetches them. */
  function linksFor(language: string) {
    const signedIn = [...signedInChunks, `texts:${language}~common`];
    const withDashboard = [...signedIn, dashboardChunk, `texts:${language}~layout.dashboard`];
    return {
      signedOut: linkHeader(filesOf([mainChunk, ...signedOutChunks]), filesOf([mainChunk, ...withDashboard])),
      signedIn: linkHeader(filesOf([mainChunk, ...signedIn])),
      dashboard: linkHeader(filesOf([mainChunk, ...withDashboard])),
    };
  }

  const sendPage: SendPage = (request, reply) => {
    const [address = ''] = request.url.split('?');
    const isPage = (request.method === 'GET' || request.method === 'HEAD') && !noScreen.test(address);
    if (isBuilt && isPage) return reply.sendFile(fileIn(languageOf(request)));
    return reply.code(404).type('text/plain; charset=utf-8').send('There is nothing at this address.\n');
  };
  // The file server would treat the root as a directory.
  app.get('/', sendPage);
  return sendPage;
}

/**
 * Files, well-known addresses (RFC 8615) and guessed addresses of health checks. Programs would take a page there as support for it, or as
 * health.
 */
const noScreen =
  /\.[A-Za-z0-9]{1,8}$|^\/\.well-known\/|^\/(?:actuator|health|live|ready|startup)[a-z]*(?:\/|$)/;
const dashboard = '/layout/dashboard';
const componentOf = (route: string) => `src/routes/${route}.tsx?tsr-split=component`;
/** Chunks of every signed-in screen, and the additional ones of the dashboard. */
const signedInChunks = ['src/application.tsx', componentOf('_signed-in'), 'texts:catalogs'];
const dashboardChunk = componentOf('_signed-in/layout.dashboard');

type Manifest = Record<string, { file: string; imports?: string[]; css?: string[] }>;

/** Returns a function that lists the files of chunks and their imports, from the build's manifest, except those named in every page. */
function readManifest(directory: string): (sources: string[]) => string[] {
  const manifestFile = path.join(directory, '.vite', 'manifest.json');
  if (!existsSync(manifestFile)) return () => [];
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  return (sources) => {
    const files = new Set<string>();
    const addChunk = (key: string): void => {
      const part = manifest[key];
      if (!part || key === 'index.html' || files.has(part.file)) return;
      files.add(part.file);
      for (const sheet of part.css ?? []) files.add(sheet);
      for (const next of part.imports ?? []) addChunk(next);
    };
    for (const source of sources) addChunk(source);
    return [...files];
  };
}

/**
 * Returns a Link header (RFC 8288) that preloads some files and prefetches others. Stylesheets are omitted: they are
 * small, and proxies limit all headers together to 4 kB by default.
 */
const linkHeader = (preloaded: string[], prefetched: string[] = []): string =>
  [
    ...preloaded.filter((name) => name.endsWith('.js')).map((name) => `</${name}>; rel=modulepreload`),
    ...prefetched.filter((name) => !preloaded.includes(name)).map((name) => `</${name}>; rel=prefetch`),
  ].join(', ');
