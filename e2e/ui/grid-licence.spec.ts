/** The grid's paid edition, which a licence key in the configuration brings (J1). */
import { openAsAdministrator, expect, listLoadedGridEditions, test } from '../fixtures/site-test.ts';

test.use({ serverEnv: { GRID_LICENSE_KEY: 'not-a-real-key' } });

test('with a licence key the paid grid is fetched, and the free one is not (J1)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/\*{10}|License|AG Grid/i, 'the grid tells that this key is not a real one');
  await openAsAdministrator(page, site);
  expect(await listLoadedGridEditions(page)).toEqual(['grid-enterprise']);
});
