/** package.json of a packed package. */

export type Manifest = {
  name: string;
  version: string;
  exports?: Record<string, string | { types: string; default: string }>;
  bin?: Record<string, string>;
  [field: string]: unknown;
};

const dependencyFields = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;

/**
 * Returns the package.json for the registry: entries are JavaScript with declarations, our packages depend on the same minor version or a
 * later one, and fields for the checkout are omitted. `names` are our packages.
 */
export function packageJson(
  manifest: Manifest,
  { names, version, shipsSources }: { names: string[]; version: string; shipsSources: boolean },
): Manifest {
  const { private: _private, scripts: _scripts, devDependencies = {}, files: _files, ...kept } = manifest;
  const packed: Manifest = { ...kept, version };
  if (shipsSources)
    packed['dependencies'] = { ...(kept['dependencies'] as object), ...(devDependencies as object) };
  for (const field of dependencyFields) {
    const wanted = packed[field] as Record<string, string> | undefined;
    if (wanted)
      packed[field] = Object.fromEntries(
        Object.entries(wanted).map(([name, range]) => [name, names.includes(name) ? `^${version}` : range]),
      );
  }
  if (manifest.exports)
    packed.exports = Object.fromEntries(
      Object.entries(manifest.exports).map(([name, target]) => [
        name,
        typeof target === 'string' ? packedEntry(target, shipsSources) : target,
      ]),
    );
  if (manifest.bin)
    packed.bin = Object.fromEntries(
      Object.entries(manifest.bin).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]),
    );
  return packed;
}

function packedEntry(file: string, shipsSources: boolean): string | { types: string; default: string } {
  const [, name] = /^\.\/(.+)\.tsx?$/.exec(file) ?? [];
  if (name === undefined) return file;
  if (!shipsSources) return { types: `./${name}.d.ts`, default: `./${name}.js` };
  return name.startsWith('src/') ? { types: `./types/${name.slice(4)}.d.ts`, default: file } : file;
}
