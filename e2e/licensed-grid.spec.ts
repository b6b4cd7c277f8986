/** The grid's paid edition, which a licence key in the configuration brings (J1). */
import { expect, gridPrograms, signIn, test } from './journey.ts';

test.use({ serverEnv: { GRID_LICENSE_KEY: 'not-a-real-key' } });

test('with a licence key the paid grid is fetched, and the free one is not (J1)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/\*{10}|License|AG Grid/i, 'the grid tells that this key is not a real one');
  await signIn(page, site.administrator);
  expect(await gridPrograms(page)).toEqual(['grid-enterprise']);
});
