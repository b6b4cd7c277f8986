/**
 * Baseline for uploads and downloads: bare Fastify that writes a body to a file and serves a directory. `node
 * file-baseline-server.ts DIRECTORY` prints its address.
 */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';

const [directory = '.'] = process.argv.slice(2);
const app = Fastify();
app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
app.put<{ Params: { name: string } }>('/upload/:name', async ({ raw, params }) => {
  await pipeline(raw, createWriteStream(path.join(directory, path.basename(params.name))));
  return 'stored';
});
await app.register(fastifyStatic, { root: directory });
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
