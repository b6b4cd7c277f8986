/**
 * Builds the published package: the client and the required parts of the contract, as JavaScript with types.
 * Runs before `npm pack`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const dist = path.join(import.meta.dirname, 'dist');
const tsc = path.join(
  path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
);

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', path.join(import.meta.dirname, 'tsconfig.build.json')], {
  stdio: 'inherit',
});

// The contract is bundled, so its imports become relative.
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(?:js|d\.ts)$/.test(file)) continue;
  const place = path.join(dist, file);
  const toContract = path.posix.relative(path.posix.dirname(file.replaceAll('\\', '/')), 'contract/src');
  const text = readFileSync(place, 'utf8')
    .replaceAll(/(['"])@vestibule\/contract\/([\w/-]+)\1/g, `$1${toContract}/$2.js$1`)
    .replaceAll(/((?:from|import\() ?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2');
  writeFileSync(place, text);
}
