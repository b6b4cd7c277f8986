/** Screens of a site with several sign-in methods. All other screens are in screens.ts. */
import { expect, type Page } from '@playwright/test';
import type { OidcSite } from '../fixtures/oidc-site.ts';
import { getDialog } from '../lists/list-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';
import type { ScreenView } from './screens.ts';

/** Data that the screens show. */
type SignInMethodScene = { personId: string; waiting: string; link: string };

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const press = (name: string | RegExp) => async (page: Page) => {
  await button(page, name).first().click();
  await expect(page.getByRole('dialog').or(page.getByRole('menu')).last()).toBeVisible();
};

/** Views by area. */
export const signInMethodScreens: Record<string, readonly ScreenView<SignInMethodScene>[]> = {
  'sign-in methods': [
    { name: 'a profile with sign-in methods and sessions', url: '/layout/profile' },
    { name: 'methods to add', open: press('Add another'), isFloating: true },
    {
      name: 'a person with sign-in methods and sessions',
      url: ({ personId }) => `/layout/people/${personId}`,
    },
    { name: 'the settings of sign-in methods', url: '/layout/settings/sign-in' },
  ],
  migrations: [
    { name: 'migrations', url: '/layout/people/move?way=globex' },
    { name: 'sending the link to everyone', open: press(/^Ask \d/) },
    {
      name: 'closing the old method',
      url: '/layout/people/move?way=globex',
      open: press('Close the old method'),
    },
    {
      name: 'sending the link to selected people',
      url: '/layout/people',
      open: async (page) => {
        await page
          .getByRole('checkbox', { name: /^Select / })
          .first()
          .click();
        await button(page, 'Move to another method').click();
        await expect(getDialog(page, /^Send the link/)).toBeVisible();
      },
    },
  ],
};

/**
 * Signs in an administrator with Acme in `page` and starts identity migrations to Globex: one completed in
 * `other`, one opened, one not opened.
 */
export async function seedSignInMethods(oidc: OidcSite, page: Page, other: Page): Promise<SignInMethodScene> {
  const administrator = createPerson('Ada Ways');
  oidc.isNext(administrator);
  await page.goto((await oidc.invite(administrator.email, 'admin')).link);
  await button(page, 'Continue with Acme').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();

  const people = [];
  for (const name of ['Mara Moved', 'Otis Opened', 'Wanda Waits'])
    people.push(await oidc.createMember({ name }));
  const ids = await Promise.all(people.map((person) => oidc.getPersonId(person)));
  await oidc.callAsAdmin('POST', '/api/moves', { way: 'globex', selection: { ids } });
  const links = await Promise.all(
    people.map(
      async ({ email }) => /\S+\/move\?m=\S+/.exec((await oidc.mailTo(email, /Globex/)).text)?.[0] ?? '',
    ),
  );
  const [moved = createPerson()] = people;
  for (const link of links.slice(0, 2).toReversed()) {
    await other.goto(link);
    await button(other, 'Continue with Globex').waitFor();
  }
  oidc.isNext(moved, { way: 'globex' });
  await button(other, 'Continue with Globex').click();
  await other.getByRole('heading', { name: 'Welcome' }).waitFor();
  return { personId: ids[0] ?? '', waiting: 'Wanda Waits', link: links[2] ?? '' };
}
