import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(?:html|m?js|css|svg|json|map|txt|xml|wasm|webmanifest)$/;
/** Minimum size in bytes. Compressing smaller files saves no network packet. */
const worthwhile = 1024;

/**
 * Writes `name.br` and `name.gz` next to every text asset, so that the server compresses nothing at run time. Not in another mode, as
 * builds of tests use, because it takes a third of the build's processor time.
 */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: (_, { command, mode }) => command === 'build' && mode === 'production',
    async writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && compressible.test(entry.name))
          await compress(join(entry.parentPath, entry.name));
      }
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.length < worthwhile) return;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: {
        // Level 11 takes seconds for the grid's chunk and saves another 2 %.
        [constants.BROTLI_PARAM_QUALITY]: content.length > 500_000 ? 9 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
}
