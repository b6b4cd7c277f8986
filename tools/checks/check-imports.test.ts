import { expect, test } from 'vitest';
import { root } from '../install.mjs';
import { findUnusedExports, findViolations } from './check-imports.ts';
import { findImports, readTree, resolveImport } from './source-imports.ts';

const real = await readTree(root);

const findViolationsIn = (file: string, source: string) => findViolations(new Map([[file, source]]));

test('every resolved import is an existing file', () => {
  const missing = [...real].flatMap(([file, source]) =>
    findImports(source)
      .map(({ name }) => resolveImport(file, name))
      .filter((target) => target !== undefined && /\.tsx?$/.test(target) && !real.has(target))
      .map((target) => `${file} → ${target}`),
  );
  // The test sources below are strings in this file.
  expect(missing.filter((one) => !one.startsWith('tools/checks/check-imports.test.ts'))).toEqual([]);
});

test('no file path is taken from a URL, which encodes a space as %20', () => {
  const found = [...real].filter(([, source]) => /import\.meta\.url\)\.pathname/.test(source));
  expect(found.map(([file]) => file)).toEqual([]);
});

const forbidden: [title: string, file: string, source: string][] = [
  [
    'the contract imports a package of the server',
    'packages/contract/src/new.ts',
    "import fastify from 'fastify';",
  ],
  [
    'a route definition imports an area',
    'packages/contract/src/route.ts',
    "import { Role } from './people.ts';",
  ],
  [
    'the emulator imports the contract',
    'packages/b2c-emulator/src/new.ts',
    "import { getMe } from '@vestibule/contract/profile/me';",
  ],
  [
    'the mailbox imports the server',
    'packages/dev-mailbox/src/new.ts',
    "import { newId } from '../../../apps/server/src/platform/database/new-id.ts';",
  ],
  [
    'the platform imports an area of the contract',
    'apps/server/src/platform/http/new.ts',
    "import type { Me } from '@vestibule/contract/profile/me';",
  ],
  [
    'the platform imports a feature',
    'apps/server/src/platform/http/new.ts',
    "import { people } from '../../features/people/people.ts';",
  ],
  [
    'a server feature imports an unlisted feature',
    'apps/server/src/features/invitations/new.ts',
    "import {\n  profile,\n} from '../profile/profile.ts';",
  ],
  [
    'a server feature imports app.ts',
    'apps/server/src/features/people/new.ts',
    "import { createApp } from '../../app.ts';",
  ],
  [
    'an extension imports a feature',
    'apps/server/src/extensions/orders.ts',
    "import { people } from '../features/people/people.ts';",
  ],
  [
    'an extension imports another extension',
    'apps/server/src/extensions/orders/prices.ts',
    "import bills from '../bills.ts';",
  ],
  [
    'the server imports the emulator statically',
    'apps/server/src/main.ts',
    "import { startB2cEmulator } from '@vestibule/b2c-emulator';",
  ],
  [
    'a feature loads the mailbox on demand',
    'apps/server/src/features/mail/new.ts',
    "const { startDevMailbox } = await import('@vestibule/dev-mailbox');",
  ],
  [
    'the product imports a module of the tests',
    'apps/server/src/features/people/new.ts',
    "import { createTestApp } from '../../test-app.ts';",
  ],
  ['a tool imports a journey', 'tools/new.ts', "import { startSite } from '../e2e/fixtures/site.ts';"],
  ['a journey imports a benchmark', 'e2e/new.spec.ts', "import { median } from '../bench/report.ts';"],
  ['the product imports a tool', 'apps/web/src/lib/new.ts', "import '../../../../tools/browser.ts';"],
  [
    'a web feature imports another web feature',
    'apps/web/src/features/people/new.ts',
    "import { copyLink } from '../invitations/copy-link.ts';",
  ],
  [
    'a web feature other than sign-in imports the provider library',
    'apps/web/src/features/people/new.ts',
    "import { PublicClientApplication } from '@azure/msal-browser';",
  ],
  ['a route imports another route', 'apps/web/src/routes/new.tsx', "import { Route } from './error.tsx';"],
  ['a route imports the grid', 'apps/web/src/routes/new.tsx', "import { AgGridReact } from 'ag-grid-react';"],
  [
    'the UI kit imports a function that calls the API',
    'apps/web/src/ui/new.tsx',
    "import { call } from '../lib/call.ts';",
  ],
  [
    'the UI kit re-exports a business type',
    'apps/web/src/ui/new.tsx',
    "export type { Me } from '@vestibule/contract/profile/me';",
  ],
  [
    'the UI kit imports the router',
    'apps/web/src/ui/new.tsx',
    "import { Link } from '@tanstack/react-router';",
  ],
  [
    'lib imports a feature',
    'apps/web/src/lib/new.ts',
    "import { enter } from '../features/sign-in/enter.ts';",
  ],
  [
    'the browser imports a module of Node.js',
    'apps/web/src/lib/new.ts',
    "import { hostname } from 'node:os';",
  ],
];

test.each(forbidden)('findViolations reports when %s', (_title, file, source) => {
  const found = findViolationsIn(file, source);
  expect(found.filter((one) => one.startsWith(`${file} imports `))).toHaveLength(1);
});

test.each(['utils.ts', 'helpers/date.ts', 'common.tsx', 'types.ts', 'index.ts'])(
  'findViolations reports a file named %s',
  (name) => {
    expect(findViolationsIn(`apps/web/src/lib/${name}`, 'export const one = 1;')).toHaveLength(1);
  },
);

test('findViolations reports a file in a folder that the table of allowed imports does not list', () => {
  expect(findViolationsIn('apps/mobile/main.ts', 'export const one = 1;')).toHaveLength(1);
});

test('findViolations ignores an import in a comment', () => {
  const source =
    "/**\n * Not `import('@vestibule/contract/profile/me')`.\n */\n// import('ag-grid-react')\nexport const one = 1;";
  expect(findViolationsIn('apps/web/src/ui/new.ts', source)).toEqual([]);
});

test('findUnusedExports reports exports that no other file imports', () => {
  const sources = new Map([
    [
      'tools/new.ts',
      'export const lonely = 1;\nexport async function used() {}\nconst own = 2;\nexport type Alone = 1;\n',
    ],
    ['tools/newer.ts', "import { used } from './new.ts';\n// Not lonely, nor Alone.\nawait used();\n"],
    ['tools/other.ts', 'const lonely = 2;\n'],
    [
      'tools/parts.ts',
      'export const a = 1;\nexport const b = 1;\nexport const c = 1;\nexport const d = 1;\nexport type E = 1;\n',
    ],
    [
      'tools/user.ts',
      [
        "import { type E as F } from './parts.ts';",
        "const { a } = await import('./parts.ts');",
        "import('./parts.ts').then(({ b }) => b);",
        "const other = (await import('./parts.ts')).d;",
      ].join('\n'),
    ],
  ]);
  expect(findUnusedExports(sources)).toEqual([
    'tools/new.ts exports lonely, which no other file imports.',
    'tools/new.ts exports Alone, which no other file imports.',
    'tools/parts.ts exports c, which no other file imports.',
  ]);
});
