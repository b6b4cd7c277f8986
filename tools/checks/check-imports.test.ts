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

test.each([
  ['packages/contract/src/new.ts', 'fastify'],
  ['packages/contract/src/route.ts', './people.ts'],
  ['packages/b2c-emulator/src/new.ts', '@vestibule/contract/profile/me'],
  ['packages/dev-mailbox/src/new.ts', '../../../apps/server/src/platform/database/new-id.ts'],
  ['apps/server/src/platform/http/new.ts', '@vestibule/contract/profile/me'],
  ['apps/server/src/platform/http/new.ts', '../../features/people/people.ts'],
  ['apps/server/src/features/people/new.ts', '../../app.ts'],
  ['apps/server/src/extensions/orders.ts', '../features/people/people.ts'],
  ['apps/server/src/extensions/orders/prices.ts', '../bills.ts'],
  ['apps/server/src/main.ts', '@vestibule/b2c-emulator'],
  ['apps/server/src/features/people/new.ts', '../../test-app.ts'],
  ['tools/new.ts', '../e2e/fixtures/site.ts'],
  ['e2e/new.spec.ts', '../bench/report.ts'],
  ['apps/web/src/lib/new.ts', '../../../../tools/browser.ts'],
  ['apps/web/src/features/people/new.ts', '../invitations/copy-link.ts'],
  ['apps/web/src/features/people/new.ts', '@azure/msal-browser'],
  ['apps/web/src/routes/new.tsx', './error.tsx'],
  ['apps/web/src/routes/new.tsx', 'ag-grid-react'],
  ['apps/web/src/ui/new.tsx', '../lib/call.ts'],
  ['apps/web/src/ui/new.tsx', '@tanstack/react-router'],
  ['apps/web/src/ui/new.tsx', '@vestibule/contract/profile/me'],
  ['apps/web/src/lib/new.ts', '../features/sign-in/enter.ts'],
  ['apps/web/src/lib/new.ts', 'node:os'],
])('findViolations reports that %s imports %s', (file, name) => {
  const found = findViolationsIn(file, `import { one } from '${name}';`);
  expect(found.filter((violation) => violation.startsWith(`${file} imports `))).toHaveLength(1);
});

test.each([
  "import {\n  one,\n} from '../profile/profile.ts';",
  "import '../profile/profile.ts';",
  "export type { One } from '../profile/profile.ts';",
  "const { one } = await import('@vestibule/dev-mailbox');",
])('findViolations reports the import %j', (source) => {
  expect(findViolationsIn('apps/server/src/features/invitations/new.ts', source)).toHaveLength(1);
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
