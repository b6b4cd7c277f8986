/** Locations of the texts: English in the code, each other language in a file of src/locales. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { extractor } from '@lingui/cli/api';
import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';
import { contractSources, serverTexts } from './server-texts.ts';

const folder = path.join(import.meta.dirname, 'src', 'locales');

export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en',
  locales: readdirSync(folder).map((name) => path.basename(name, '.po')),
  catalogs: [
    {
      path: '<rootDir>/src/locales/{locale}',
      include: ['<rootDir>/src', contractSources],
      exclude: ['**/*.test.*'],
    },
  ],
  // Without origins, moving a file does not change the catalogs.
  format: formatter({ origins: false, printPlaceholdersInComments: false }),
  extractors: [serverTexts, extractor],
  orderBy: 'message',
});
