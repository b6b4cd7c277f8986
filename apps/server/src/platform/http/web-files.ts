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
    /** The source file of a part that every page fetches by a program of its own, so that it is on its way before that runs. */
    preload: string | null;
  },
): Promise<WebFiles> {
  const { directory, pagePolicy, preload } = options;
  const built = existsSync(path.join(directory, 'index.html'));
  /** The build writes a page for every language: index.html in English, index.de.html in German. */
  const languages = built
    ? readdirSync(directory).flatMap((name) => /^index\.([\w-]+)\.html$/.exec(name)?.[1] ?? [])
    : [];
  const preloads = built && preload !== null ? preloadsOf(directory, preload) : '';
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
    if (preloads && reply.request.headers['sec-fetch-dest'] !== 'iframe') void reply.header('link', preloads);
  }

  const languageOf = ({ headers }: FastifyRequest) =>
    languageOfRequest(headers, [sourceLanguage, ...languages]);
  const fileIn = (language: string) =>
    language === sourceLanguage ? 'index.html' : `index.${language}.html`;
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

type Manifest = Record<string, { file: string; imports?: string[] }>;

/** The header that has a browser fetch a part of the build with all that it imports, as the build's manifest says (RFC 8288). */
function preloadsOf(directory: string, source: string): string {
  const file = path.join(directory, '.vite', 'manifest.json');
  if (!existsSync(file)) return '';
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const files = new Set<string>();
  const visit = (key: string): void => {
    const part = manifest[key];
    if (!part || key === 'index.html' || files.has(part.file)) return;
    files.add(part.file);
    for (const next of part.imports ?? []) visit(next);
  };
  visit(source);
  return [...files].map((name) => `</${name}>; rel=modulepreload`).join(', ');
}
