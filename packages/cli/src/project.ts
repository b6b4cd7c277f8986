/** Paths of a portal, and of the packages that it installed. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileCacheOf } from '@vestibule/server/server-flags';

const { resolve } = createRequire(import.meta.url);

export type Portal = ReturnType<typeof findPortal>;

/** Throws if the directory contains no portal. */
export function findPortal(directory: string) {
  if (!existsSync(path.join(directory, 'package.json')) || !existsSync(path.join(directory, 'extensions')))
    throw new Error(
      `${directory} is not a portal: it has no package.json and extensions/. Create one with npm create vestibule@latest my-portal.`,
    );
  const server = path.dirname(resolve('@vestibule/server/extension'));
  const viteConfig = resolve('@vestibule/web/vite-config');
  const isPackage = import.meta.filename.endsWith('.js');
  return {
    directory,
    extensions: path.join(directory, 'extensions'),
    /** Directory of generated files. */
    generated: path.join(directory, '.vestibule'),
    builtWeb: path.join(directory, '.vestibule', 'web'),
    viteConfig,
    webPackage: path.dirname(viteConfig),
    /** Returns the path of a script of the server. */
    serverScript: (name: string) => path.join(server, `${name}.${isPackage ? 'js' : 'ts'}`),
    environment: {
      NODE_COMPILE_CACHE: compileCacheOf(directory),
      ...process.env,
      VESTIBULE_PROJECT: directory,
    } as NodeJS.ProcessEnv,
  };
}

/** Returns the path of a program that a package provides as a script. */
export function findProgram(packageName: string, script: string): string {
  for (const modules of createRequire(import.meta.url).resolve.paths(packageName) ?? []) {
    const file = path.join(modules, packageName, script);
    if (existsSync(file)) return file;
  }
  throw new Error(`${packageName} is not installed. Run npm install.`);
}
