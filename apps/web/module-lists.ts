import type { Plugin } from 'vite';

const isModule = (listedPath: string, id: string) =>
  id
    .replaceAll('\\', '/')
    .replace(/\.\w+$/, '')
    .endsWith(`/${listedPath}`);

/** Returns whether the module is in the list. Lists name modules by the end of their paths, without the extension. */
export const isOneOf = (listedPaths: string[], id: string): boolean =>
  listedPaths.some((listedPath) => isModule(listedPath, id));

/** Fails a build that contains no module for a listed path: a renamed module would otherwise get a separate chunk unnoticed. */
export function requireModules(listedPaths: string[]): Plugin {
  return {
    name: 'require-modules',
    apply: 'build',
    buildEnd(error) {
      if (error) return;
      const ids = [...this.getModuleIds()];
      const missing = listedPaths.filter((listedPath) => !ids.some((id) => isModule(listedPath, id)));
      if (missing.length > 0)
        this.error(`vite.config.ts lists modules that do not exist: ${missing.join(', ')}`);
    },
  };
}
