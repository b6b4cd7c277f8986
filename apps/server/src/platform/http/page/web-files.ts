/**
 * Serves the built web application: hashed assets for good, precompressed; its page for every address that a
 * person may open, in their language. A missing asset or an unknown address below /api/ is a real 404 (statement A6).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { languageOfRequest, sourceLanguage } from '@vestibule/contract/rules/language';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What is built, for whoever answers with it. */
export type WebFiles = {
  /** Answers with the page, or with 404 where there cannot be one. */
  answer: (request: FastifyRequest, reply: FastifyReply) => unknown;
  /** The page in the language of a request, to be sent with something in it; null where nothing is built. */
  page: (request: FastifyRequest, reply: FastifyReply) => { html: string; language: string } | null;
};

/** Registers the files and gives the answer for everything else. */
export async function serveWebFiles(
  app: FastifyInstance,
  options: {
    directory: string;
    pagePolicy: string;
    /** The source file of the part that the program of the page asks for first, so that it is on its way before that runs. */
    first: string;
    /** Those of the parts that are shown to whoever is not inside yet. */
    atTheDoor: string[];
    /** What the program of a page asks of the server before anything else: the answers are on their way before it runs. */
    askedFirst: (request: FastifyRequest) => string[];
  },
): Promise<WebFiles> {
  const { directory, pagePolicy, first, atTheDoor, askedFirst } = options;
  const built = existsSync(path.join(directory, 'index.html'));
  /** The build writes a page for every language: index.html in English, index.de.html in German. */
  const languages = built
    ? readdirSync(directory).flatMap((name) => /^index\.([\w-]+)\.html$/.exec(name)?.[1] ?? [])
    : [];
  const partsOf = built ? readParts(directory) : () => [];
  const links = new Map([sourceLanguage, ...languages].map((language) => [language, linksFor(language)]));
  await app.register(fastifyStatic, {
    root: directory,
    serve: built,
    wildcard: true,
    index: false,
    preCompressed: true,
    cacheControl: false,
    etag: true,
    dotfiles: 'ignore',
    setHeaders(reply, file) {
      if (file.includes(`${path.sep}assets${path.sep}`))
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
      else if (path.basename(file).startsWith('index.')) asPage(reply);
      else void reply.header('cache-control', 'public, max-age=3600');
    },
  });

  function asPage(reply: FastifyReply) {
    void reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': pagePolicy,
      'cross-origin-opener-policy': 'same-origin',
      vary: 'accept-encoding, accept-language, cookie',
    });
    // A frame hands on the provider's answer and nothing else (statement B1).
    if (reply.request.headers['sec-fetch-dest'] === 'iframe') return;
    const [address = ''] = reply.request.url.split('?');
    const behindTheDoor = address === dashboard ? 'dashboard' : 'inside';
    const files = links.get(languageOf(reply.request))?.[
      address.startsWith('/layout/') ? behindTheDoor : 'door'
    ];
    // As `fetch` asks, else the browser would ask twice: with the cookies of this site, and those only.
    const asked = askedFirst(reply.request).map((url) => `<${url}>; rel=preload; as=fetch; crossorigin`);
    const link = [...asked, ...(files ? [files] : [])].join(', ');
    if (link) void reply.header('link', link);
  }

  const languageOf = ({ headers }: FastifyRequest) =>
    languageOfRequest(headers, [sourceLanguage, ...languages]);
  const fileIn = (language: string) =>
    language === sourceLanguage ? 'index.html' : `index.${language}.html`;
  /** Behind the door all of it is shown at once; before it somebody still has to sign in, and the browser fetches what follows by the way. */
  function linksFor(language: string) {
    const inside = [...insideParts, `texts:${language}~common`];
    const dashboardToo = [...inside, dashboardPart, `texts:${language}~layout.dashboard`];
    return {
      door: linksOf(partsOf([first, ...atTheDoor]), partsOf([first, ...dashboardToo])),
      inside: linksOf(partsOf([first, ...inside])),
      dashboard: linksOf(partsOf([first, ...dashboardToo])),
    };
  }

  const pages = new Map(
    (built ? [sourceLanguage, ...languages] : []).map((language) => [
      language,
      readFileSync(path.join(directory, fileIn(language)), 'utf8'),
    ]),
  );

  const answer: WebFiles['answer'] = (request, reply) => {
    const [address = ''] = request.url.split('?');
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') && !/\.[A-Za-z0-9]{1,8}$/.test(address);
    if (built && isPage) return reply.sendFile(fileIn(languageOf(request)));
    return reply.code(404).type('text/plain; charset=utf-8').send('There is nothing at this address.\n');
  };
  // The file server would take the root for a directory.
  app.get('/', answer);
  return {
    answer,
    page(request, reply) {
      const language = languageOf(request);
      const html = pages.get(language);
      if (html === undefined) return null;
      asPage(reply);
      return { html, language };
    },
  };
}

/** Where people land who sign in. */
const dashboard = '/layout/dashboard';
const componentOf = (route: string) => `src/routes/${route}.tsx?tsr-split=component`;
/** What every screen behind the door consists of, and what that of the dashboard has besides. */
const insideParts = ['src/application.tsx', componentOf('_signed-in'), 'texts:catalogs'];
const dashboardPart = componentOf('_signed-in/layout.dashboard');

type Manifest = Record<string, { file: string; imports?: string[]; css?: string[] }>;

/** Gives the files of some parts of the build with all that they import, as its manifest says; what every page names itself is left out. */
function readParts(directory: string): (sources: string[]) => string[] {
  const manifestFile = path.join(directory, '.vite', 'manifest.json');
  if (!existsSync(manifestFile)) return () => [];
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  return (sources) => {
    const files = new Set<string>();
    const visit = (key: string): void => {
      const part = manifest[key];
      if (!part || key === 'index.html' || files.has(part.file)) return;
      files.add(part.file);
      for (const sheet of part.css ?? []) files.add(sheet);
      for (const next of part.imports ?? []) visit(next);
    };
    for (const source of sources) visit(source);
    return [...files];
  };
}

/**
 * The header that has a browser fetch some files now and others when it has nothing else to do (RFC 8288). Stylesheets are small, and come
 * with the parts that name them: of all headers of a page together proxies take 4 kB, unless told otherwise.
 */
function linksOf(now: string[], later: string[] = []): string {
  return [
    ...now.filter((name) => name.endsWith('.js')).map((name) => `</${name}>; rel=modulepreload`),
    ...later.filter((name) => !now.includes(name)).map((name) => `</${name}>; rel=prefetch`),
  ].join(', ');
}
