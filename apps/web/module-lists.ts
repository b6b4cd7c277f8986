import type { Plugin } from 'vite';

const isModule = (part: string, id: string) =>
  id
    .replaceAll('\\', '/')
    .replace(/\.\w+$/, '')
    .endsWith(`/${part}`);

/** Returns whether the module is in the list. Lists name modules by the end of their paths, without the extension. */
export const isOneOf = (parts: string[], id: string): boolean => parts.some((part) => isModule(part, id));

/** Fails a build that contains no module for a listed path: a renamed module would otherwise get a separate chunk unnoticed. */
export function requireModules(parts: string[]): Plugin {
  return {
    name: 'require-modules',
    apply: 'build',
    buildEnd(error) {
      if (error) return;
      const ids = [...this.getModuleIds()];
      const missing = parts.filter((part) => !ids.some((id) => isModule(part, id)));
      if (missing.length > 0)
        this.error(`vite.config.ts lists modules that do not exist: ${missing.join(', ')}`);
    },
  };
}
