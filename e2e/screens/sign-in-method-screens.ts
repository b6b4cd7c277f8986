/** The screens that only a site with several ways to sign in has, as screens.ts has those of every site. */
import { expect, type Page } from '@playwright/test';
import type { OidcSite } from '../fixtures/oidc-site.ts';
import { choose, dialog } from '../lists/list-page.ts';
import { somebody } from '../fixtures/site.ts';
import type { Look } from './screens.ts';

/** Who the screens show. */
type WayScene = { personId: string; waiting: string; link: string };

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const press = (name: string | RegExp) => async (page: Page) => {
  await button(page, name).first().click();
  await expect(page.getByRole('dialog').or(page.getByRole('menu')).last()).toBeVisible();
};
const chooseForWaiting =
  (entry: string) =>
  async (page: Page, { waiting }: WayScene) => {
    await choose(page, waiting, entry);
    await expect(page.getByRole('dialog')).toBeVisible();
  };

/** By what they are about. */
export const wayScreens: Record<string, readonly Look<WayScene>[]> = {
  'ways to sign in': [
    { name: 'a profile with ways and sessions', at: '/layout/profile' },
    { name: 'ways to add', open: press('Add another way'), floats: true },
    {
      name: 'a person with ways and sessions',
      at: ({ personId }) => `/layout/people/${personId}`,
    },
    { name: 'the settings of ways', at: '/layout/settings/sign-in' },
  ],
  moves: [
    { name: 'moves', at: '/layout/people/move?way=globex' },
    { name: 'asking everybody', open: press(/^Ask \d/) },
    { name: 'reminding somebody', at: '/layout/people/move?way=globex', open: chooseForWaiting('Remind') },
    { name: 'calling off', at: '/layout/people/move?way=globex', open: chooseForWaiting('Cancel move') },
    { name: 'closing the old way', at: '/layout/people/move?way=globex', open: press('Close the old way') },
    { name: 'moves to a way that nobody was asked for', at: '/layout/people/move?way=acme' },
    {
      name: 'asking selected people',
      at: '/layout/people',
      open: async (page) => {
        await page
          .getByRole('checkbox', { name: /^Select / })
          .first()
          .click();
        await button(page, 'Move to another way').click();
        await expect(dialog(page, /^Send the link/)).toBeVisible();
      },
    },
  ],
};

/**
 * Lets an administrator be inside by an account at Acme, in `page`, and asks people to move to Globex: one has moved, in `other`, one has
 * opened the link, one has not.
 */
export async function furnishWays(oidc: OidcSite, page: Page, other: Page): Promise<WayScene> {
  const administrator = somebody('Ada Ways');
  oidc.isNext(administrator);
  await page.goto((await oidc.invite(administrator.email, 'admin')).link);
  await button(page, 'Continue with Acme').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();

  const people = [];
  for (const name of ['Mara Moved', 'Otis Opened', 'Wanda Waits']) people.push(await oidc.member({ name }));
  const ids = await Promise.all(people.map((person) => oidc.idOf(person)));
  await oidc.order('POST', '/api/moves', { way: 'globex', selection: { ids } });
  const links = await Promise.all(
    people.map(
      async ({ email }) => /\S+\/move\?m=\S+/.exec((await oidc.mailTo(email, /Globex/)).text)?.[0] ?? '',
    ),
  );
  const [moved = somebody()] = people;
  for (const link of links.slice(0, 2).toReversed()) {
    await other.goto(link);
    await button(other, 'Continue with Globex').waitFor();
  }
  oidc.isNext(moved, { way: 'globex' });
  await button(other, 'Continue with Globex').click();
  await other.getByRole('heading', { name: 'Welcome' }).waitFor();
  return { personId: ids[0] ?? '', waiting: 'Wanda Waits', link: links[2] ?? '' };
}
