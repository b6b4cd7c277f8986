/** Every limit is defined once: no other file of the product contains its number or its message (security 66). */
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { logoMaximumBytes } from '@vestibule/contract/settings';
import { expect, test } from 'vitest';
import { root } from '../install.mjs';
import { readTree } from './source-imports.ts';

const product = [...(await readTree(root))].filter(
  ([file]) => /^(?:apps|packages)\/[^/]+\/src\//.test(file) && !/\.test\.tsx?$|\/test/.test(file),
);
const filesWith = (pattern: RegExp) =>
  product.filter(([, source]) => pattern.test(source)).map(([file]) => file);

test.each<[string, RegExp, string[]]>([
  [
    'the longest e-mail address',
    new RegExp(String.raw`(?<![\d.:])${emailMaximumLength}(?![\d.:])`),
    // The emulator is independent of the contract.
    ['packages/b2c-emulator/src/tenant/accounts.ts', 'packages/contract/src/rules/limits.ts'],
  ],
  [
    'the largest logo',
    new RegExp(`\\b${logoMaximumBytes / 1024}(?: kB|(?:_000| \\* kilobyte)\\b)`),
    ['packages/contract/src/settings.ts'],
  ],
  ['the longest text of a list row', /maxLength=\{\d{4}\}|(?:rawText|draft)\(\d+_?000\)/, []],
])('%s appears only in the files that define it', (_what, pattern, places) => {
  expect(product.length).toBeGreaterThan(600);
  expect(filesWith(pattern).toSorted()).toEqual(places);
});
