/** Registry with our packed packages. Requests for other packages are redirected to the public registry. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

type Version = { name: string; version: string; dist: { tarball: string; integrity: string } };

const upstream = 'https://registry.npmjs.org';

export async function startRegistry() {
  const versions = new Map<string, Map<string, Version>>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', url).pathname.slice(1));
    const tarball = tarballs.get(name);
    const known = versions.get(name);
    if (tarball) response.end(tarball);
    else if (known) {
      const latest = [...known.keys()].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(known) }));
    } else response.writeHead(302, { location: upstream + request.url }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    async add(files: Iterable<string>): Promise<void> {
      for (const file of files) {
        const bytes = await readFile(file);
        const place = `tarballs/${path.basename(file)}`;
        const manifest = readManifest(bytes);
        const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
        const all = versions.get(manifest.name) ?? new Map<string, Version>();
        all.set(manifest.version, { ...manifest, dist: { tarball: `${url}/${place}`, integrity } });
        versions.set(manifest.name, all);
        tarballs.set(place, bytes);
      }
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns package/package.json of a tarball. A tar header has 512 bytes, with the name at 0 and the size, in octal, at 124. */
function readManifest(tarball: Buffer): Omit<Version, 'dist'> {
  const tar = gunzipSync(tarball);
  for (let at = 0; at < tar.length;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('utf8', at + 124, at + 136), 8) || 0;
    if (name === 'package/package.json')
      return JSON.parse(tar.toString('utf8', at + 512, at + 512 + size)) as Omit<Version, 'dist'>;
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('The tarball contains no package.json.');
}
