import { expect, test } from 'vitest';
import { suggestSlug } from './slug.ts';

test.each([
  ['Acme', 'acme'],
  ['Müller & Söhne GmbH', 'mueller-soehne-gmbh'],
  ['Mu\u0308ller', 'mueller'],
  ['Crédit Agricole S.A.', 'credit-agricole-s-a'],
  ['  Łódź -- Ærø  ', 'lodz-aeroe'],
  ['株式会社', ''],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('the short name of %j is %j', (name, slug) => {
  expect(suggestSlug(name)).toBe(slug);
});
