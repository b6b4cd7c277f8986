/** What people do at a site with OpenID Providers: they come in by Acme, and are invited there. */
import { expectDashboard, type Page } from './journey.ts';
import { orderFrom, type OidcSite } from './oidc-site.ts';
import { somebody, type Person } from './running-site.ts';

export const acme = 'Continue with Acme';
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Takes the administrator's printed link, or signs them in when they are inside already. */
export async function enterAsAdministrator(page: Page, oidc: OidcSite): Promise<void> {
  oidc.isNext(oidc.administrator);
  await page.goto(oidc.firstLink());
  await button(page, acme).or(button(page, 'Go to Sign in')).click();
  await expectDashboard(page, oidc.administrator);
}

/** Somebody with an open invitation, whom the administrator invites in a browser of their own. */
export async function invite(
  admin: Page,
  oidc: OidcSite,
  name = 'Ann Other',
): Promise<Person & { link: string }> {
  await enterAsAdministrator(admin, oidc);
  const person = somebody(name);
  const { id } = await orderFrom(admin, 'POST', '/api/invitations', { email: person.email });
  const { link } = (await orderFrom(admin, 'POST', `/api/invitations/${String(id)}/link`)) as {
    link: string;
  };
  return { ...person, link };
}

/** Accepts an invitation; the person is on their dashboard then. */
export async function accept(page: Page, oidc: OidcSite, person: Person & { link: string }): Promise<void> {
  oidc.isNext(person);
  await page.goto(person.link);
  await button(page, acme).click();
  await expectDashboard(page, person);
}

/** From now on the provider's page stays, with a link to itself. */
export function stayAtProvider({ providers }: OidcSite): void {
  providers.acme.next.instead = ({ url = '' }, response) => {
    if (!url.startsWith('/login/')) return false;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><html lang="en"><title>Acme</title><a href="">Sign in at Acme</a>');
    return true;
  };
}

export const atProvider = (page: Page) => page.getByRole('link', { name: 'Sign in at Acme' });

/** Somebody who is on their dashboard, and another browser in which the provider will know them. */
export async function acceptAndGoElsewhere(page: Page, otherBrowser: () => Promise<Page>, oidc: OidcSite) {
  const person = await invite(await otherBrowser(), oidc);
  await accept(page, oidc, person);
  const elsewhere = await otherBrowser();
  oidc.isNext(person);
  return { person, elsewhere };
}
