import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contractInBrowser } from './contract-in-browser.ts';
import { precompress } from './precompress.ts';
import { staticLoginScreen } from './static-login-screen.ts';
import { texts, type CollectedTexts } from './texts.ts';

/** What the first plugin finds in the code and the other writes into the pages. */
const collected: CollectedTexts = new Map();

/**
 * Small parts that nearly every screen behind the door uses, none of them the login page: in one file, since a request for
 * each takes longer than its bytes. Shared by fewer, a part would be loaded by screens that do without.
 */
const nearlyEverywhere = [
  /src\/ui\/(?:empty-state|facts|record-list|save-file)\./,
  /src\/ui\/(?:fields\/(?:check-box|choice|form-dialog|select-field)|marks\/(?:badge|role-badge))\./,
  /src\/ui\/(?:menu\/menu(?:-keys|-panel)?|popover\/(?:popover|use-popover))\./,
  /src\/ui\/(?:person\/(?:initials|person)|shell\/(?:brand-mark|page)|time\/(?:moment|time-element)|toast\/(?:dock|try-to))\./,
  /src\/ui\/grid\/(?:load-grid|rows\/grid-(?:address|query|server)|selection\/left-out)\./,
  /src\/lib\/(?:attended|shown-by|lists\/fetch-(?:counts|page)|sign-in\/way-name)\./,
  /contract\/src\/rules\/(?:left-out|spreadsheet-text)\./,
  /icons\/Icon(?:ChevronDown|Search|User)\./,
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
    texts(collected),
    react(),
    staticLoginScreen(collected),
    contractInBrowser(),
    precompress(),
  ],
  worker: { format: 'es', plugins: () => [texts(collected)] },
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5', 'edge123'],
    manifest: true,
    // The polyfill is an inline script, which the content security policy forbids; our targets do not need it.
    modulePreload: {
      polyfill: false,
      // What the page itself loads is there whenever a program fetches more: no program need name it.
      resolveDependencies: (_, dependencies, { hostType }) =>
        hostType === 'js'
          ? dependencies.filter((name) => !/(?:^|\/)(?:start|index)-/.test(name))
          : dependencies,
    },
    // Inlined assets would be `data:` addresses, which the policy forbids as well.
    assetsInlineLimit: 0,
    // The grid's chunk is large and loaded on demand; budgets are checked by the tests.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      // Schemas that nobody uses in the browser go (see contract-in-browser.ts); building one has no effect but its value.
      treeshake: {
        // By name wherever it stands: only names that nothing but the contract has.
        manualPureFunctions: [
          'z',
          'lineOfText',
          'linesOfText',
          'listQuery',
          'defineErrors',
          'defineRoute',
          'defineTexts',
          'rawText',
          'sentence',
          'wholeNumber',
          'settingSchema',
        ],
      },
      output: {
        codeSplitting: {
          groups: [
            // What is loaded before anything else, in one part: together it packs better than by who else needs it.
            {
              name: 'start',
              test: /node_modules[\\/]@lingui[\\/]core|src[\\/](?:lib[\\/](?:call|call-failure|kept-choice|page-return)|language[\\/](?:tell|language)|ui[\\/](?:listeners|themes[\\/]themes|dialog[\\/]top-layer))\.ts$|vite[\\/]preload-helper/,
            },
            // Every screen needs it; fewer parts are fewer names that the login page has to know.
            {
              name: 'router',
              test: /node_modules[\\/]@tanstack[\\/](?:react-router|router-core|history|store|react-store)[\\/]/,
            },
            { name: 'msal', test: /node_modules[\\/]@azure[\\/]/ },
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
            {
              name: 'screens',
              test: (id) => nearlyEverywhere.some((part) => part.test(id.replaceAll('\\', '/'))),
            },
            { name: 'kit', minShareCount: 12 },
          ],
        },
      },
    },
  },
});
