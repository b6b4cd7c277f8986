/** AG Grid Enterprise through a configured licence key (J1). */
import { openAsAdministrator, expect, listLoadedGridEditions, test } from '../fixtures/site-test.ts';

test.use({ serverEnv: { GRID_LICENSE_KEY: 'not-a-real-key' } });

test('with a licence key AG Grid Enterprise is loaded instead of Community (J1)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/\*{10}|License|AG Grid/i, 'the grid tells that this key is not a real one');
  await openAsAdministrator(page, site);
  expect(await listLoadedGridEditions(page)).toEqual(['grid-enterprise']);
});
