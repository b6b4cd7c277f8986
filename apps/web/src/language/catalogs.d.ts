/** Made by the build of the code's texts and `src/locales/*.po`: how to load each language, by its tag, in parts (texts.ts). */
declare module 'texts:catalogs' {
  import type { Messages } from '@lingui/core';
  export const catalogs: Record<string, Record<string, () => Promise<{ messages: Messages }>>>;
}

/** The tags of all languages. */
declare module 'texts:languages' {
  export const tags: readonly string[];
}
