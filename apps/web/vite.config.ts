import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { contractInBrowser } from './contract-in-browser.ts';
import { extensions } from './extensions-plugin.ts';
import { staticLoginScreen } from './static-login-screen.ts';
import { texts, type CollectedTexts } from './texts.ts';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Texts that `texts` collects and `staticLoginScreen` writes into the pages. */
const collected: CollectedTexts = new Map();

/** Modules that the browser loads before all others. One chunk compresses better than several. */
const startModules = [
  '@lingui/core/dist/index',
  'src/features/auth/auth-client',
  'src/features/auth/storage/return-url',
  'src/features/auth/storage/storage',
  'src/language/call-failure',
  'src/language/format-message',
  'src/language/language',
  'src/lib/call',
  'src/lib/choice-cookie',
  'src/lib/page-return',
  'src/lib/stored-json',
  'src/ui/dialog/top-layer',
  'src/ui/listeners',
  'src/ui/themes/theme-switch',
  'src/ui/themes/themes',
];

/**
 * Small modules that most screens after sign-in use and the login page does not. They share a chunk because a separate request for each
 * would take longer than the transfer of its bytes.
 */
const screenModules = [
  'contract/src/rules/skipped',
  'contract/src/rules/spreadsheet-text',
  'contract/src/texts/size',
  'features/invitations/invitations-address',
  'icons/IconBuilding',
  'icons/IconHistory',
  'icons/IconMail',
  'icons/IconChevronDown',
  'icons/IconSearch',
  'icons/IconUser',
  'src/language/formats',
  'src/lib/lists/list-address',
  'src/lib/person-or-email',
  'src/lib/sign-in/sign-in-text',
  'src/lib/user-activity',
  'src/ui/states',
  'src/ui/facts',
  'src/ui/fields/check-box',
  'src/ui/fields/choice',
  'src/ui/grid/load-grid',
  'src/ui/grid/grid-query',
  'src/ui/grid/grid-server',
  'src/ui/grid/skipped',
  'src/ui/marks/badge',
  'src/ui/marks/keys',
  'src/ui/menu/menu',
  'src/ui/menu/menu-panel',
  'src/ui/person/person',
  'src/ui/popover/use-popover',
  'src/ui/record-list',
  'src/ui/save-file',
  'src/ui/shell/brand-mark',
  'src/ui/shell/lazy-part',
  'src/ui/shell/page',
  'src/ui/shell/screen-failure',
  'src/ui/time/moment',
  'src/ui/toast/dock',
  'src/ui/toast/toast',
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    tanstackRouter({
      target: 'react',
      routesDirectory: 'src/routes',
      generatedRouteTree: 'src/route-tree.gen.ts',
      addExtensions: true,
      quoteStyle: 'single',
      semicolons: true,
      autoCodeSplitting: true,
      routeFileIgnorePattern: '\\.test\\.tsx?$',
    }),
    extensions(),
    texts(collected),
    react(),
    staticLoginScreen(collected),
    contractInBrowser(),
    requireModules([...startModules, ...screenModules]),
    precompress(),
  ],
  // Extensions use the same copies as the product.
  resolve: {
    dedupe: [
      'react',
      'react-dom',
      '@lingui/core',
      '@lingui/react',
      '@tanstack/react-query',
      '@tanstack/react-router',
    ],
  },
  // In development, packages below node_modules are bundled without plugins, and so without the transformation of texts.
  optimizeDeps: {
    exclude: ['@vestibule/web/screens'],
    // Otherwise the first screen of an extension that imports them reloads the page.
    ...(import.meta.dirname.includes('node_modules') && {
      include: ['@vestibule/contract/route', '@vestibule/contract/values', 'zod/mini'],
    }),
  },
  worker: { format: 'es', plugins: () => [texts(collected)] },
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5', 'edge123'],
    manifest: true,
    // The polyfill is an inline script, which the content security policy forbids; our targets do not need it.
    modulePreload: {
      polyfill: false,
      // Preloads no chunks that the page has already loaded.
      resolveDependencies: (_, dependencies, { hostType }) =>
        hostType === 'js'
          ? dependencies.filter((name) => !/(?:^|\/)(?:start|index)-/.test(name))
          : dependencies,
    },
    // Inlined assets would be `data:` URLs, which the content security policy forbids as well.
    assetsInlineLimit: 0,
    // The grid's chunk is large and loaded on demand; budgets are checked by the tests.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      // Removes schemas that only routes used (contract-in-browser.ts): creating one, as in `z.object`, has no side effects.
      treeshake: {
        propertyReadSideEffects: false,
        // Its package.json does not say that its modules have none. The sign-in leaves out those for new passkeys.
        moduleSideEffects: [{ test: /@simplewebauthn[\\/]browser/, sideEffects: false }],
        // Applies to these names in all modules, so list only names that are unique to the contract.
        manualPureFunctions: [
          'z',
          'lineOfText',
          'linesOfText',
          'listQuery',
          'defineErrors',
          'defineRoute',
          'defineTexts',
          'rawText',
          'schemaMessage',
          'wholeNumber',
          'settingSchema',
        ],
      },
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'start',
              test: (id) => id.includes('vite/preload-helper') || isOneOf(startModules, id),
            },
            // Every screen needs the router. With one chunk, the login page's scripts contain fewer file names.
            {
              name: 'router',
              test: /node_modules[\\/]@tanstack[\\/](?:react-router|router-core|history|store|react-store)[\\/]/,
            },
            { name: 'msal', test: /node_modules[\\/]@azure[\\/]/ },
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
            { name: 'screens', test: (id) => isOneOf(screenModules, id) },
          ],
        },
      },
    },
  },
});

const isModule = (listedPath: string, id: string) =>
  id
    .replaceAll('\\', '/')
    .replace(/\.\w+$/, '')
    .endsWith(`/${listedPath}`);

/** Returns whether the module is in the list. Lists name modules by the end of their paths, without the extension. */
const isOneOf = (listedPaths: string[], id: string): boolean =>
  listedPaths.some((listedPath) => isModule(listedPath, id));

/** Fails a build that contains no module for a listed path: a renamed module would otherwise get a separate chunk unnoticed. */
function requireModules(listedPaths: string[]): Plugin {
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

const compressible = /\.(?:html|m?js|css|svg|json|map|txt|xml|wasm|webmanifest)$/;
/** Minimum size in bytes. Compressing smaller files saves no network packet. */
const worthwhile = 1024;

/**
 * Writes `name.br` and `name.gz` next to every text asset, so that the server compresses nothing at run time. Not in another mode, as
 * builds of tests use, because it takes a third of the build's processor time.
 */
function precompress(): Plugin {
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
