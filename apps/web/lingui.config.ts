/** Where the texts are: every file in src/locales is a language besides English, which stands in the code. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

const folder = path.join(import.meta.dirname, 'src', 'locales');

export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en',
  locales: readdirSync(folder).map((name) => path.basename(name, '.po')),
  catalogs: [
    {
      path: '<rootDir>/src/locales/{locale}',
      include: ['<rootDir>/src'],
      exclude: ['**/*.test.*'],
    },
  ],
  format: formatter({ lineNumbers: false, printPlaceholdersInComments: false }),
  orderBy: 'message',
});
