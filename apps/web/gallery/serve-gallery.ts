/** Builds the gallery like the application and serves it with the application's content security policy. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { texts } from '../texts.ts';

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** The policy of the server, docs/specification.md, statement 37 of the security section. */
const policy =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'";

/** `requested` collects the requested paths. */
export type ServedGallery = {
  url: string;
  requested: string[];
  close: () => Promise<void>;
};

/** Takes about three seconds. */
export async function serveGallery(): Promise<ServedGallery> {
  const outDir = await mkdtemp(join(tmpdir(), 'gallery-'));
  await build({
    configFile: false,
    root: join(import.meta.dirname, '..'),
    publicDir: false,
    logLevel: 'error',
    plugins: [texts(), react()],
    build: {
      outDir,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { input: join(import.meta.dirname, 'index.html') },
    },
  });
  const requested: string[] = [];
  // No timeouts: browsers open connections in advance, and Node.js would answer 408 after a minute, possibly to a request sent just then.
  const server = createServer({ headersTimeout: 0, requestTimeout: 0 }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://gallery');
    requested.push(pathname);
    const path = pathname === '/' ? '/gallery/index.html' : pathname;
    void respond(join(outDir, path), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requested,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

async function respond(file: string, response: ServerResponse): Promise<void> {
  const content = await readFile(file).catch((error: Error) => error);
  // The screenshot of a failed test shows the reason.
  if (content instanceof Error) return void response.writeHead(404).end(content.message);
  const type = types[extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(content);
}
