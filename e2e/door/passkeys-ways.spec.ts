/** Passkeys beside an OpenID Provider (M1, M7): one screen with both, and what each leads to. */
import { expectNoViolation } from '../screens/axe.ts';
import { expect, expectDashboard, forgetSession } from '../site/journey.ts';
import { oidcTest, orderFrom } from '../site/oidc-site.ts';
import { button, makeIt, useIt } from '../site/passkeys-site.ts';
import { somebody } from '../site/running-site.ts';
import { addAuthenticator } from '../site/virtual-authenticator.ts';

const test = oidcTest({ ways: ['acme'], env: { SIGN_IN_WITH: 'oidc,passkeys' } });

const acme = 'Continue with Acme';

test('with a provider beside it, the screen has the passkey, the code and the provider; so has an invitation, and each leads in (M1, M7)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const admin = await otherBrowser();
  oidc.isNext(oidc.administrator);
  await admin.goto(oidc.firstLink());
  await button(admin, acme).click();
  await expectDashboard(admin, oidc.administrator);
  const invite = async (name: string) => {
    const person = somebody(name);
    const { id } = await orderFrom(admin, 'POST', '/api/invitations', { email: person.email });
    const { link } = await orderFrom(admin, 'POST', `/api/invitations/${String(id)}/link`);
    return { ...person, link: String(link) };
  };

  const keyed = await invite('Kay Keyed');
  const device = await addAuthenticator(page);
  await page.goto(keyed.link);
  await expect(button(page, acme)).toBeVisible();
  await expectNoViolation(page, 'an invitation with several ways');
  await page.getByLabel('Your name').fill(keyed.name);
  await button(page, makeIt).click();
  await expectDashboard(page, keyed);
  await forgetSession(page);
  await device.setPresent(false);
  await page.goto('/');
  await expect(page.locator('.login-panel').getByRole('button')).toHaveText([useIt, 'Mail me a code', acme]);
  await expectNoViolation(page, 'signing in with several ways');

  // While the field offers a passkey, another way can be taken.
  const vouched = await invite('Vera Vouched');
  oidc.isNext(vouched);
  await page.goto(vouched.link);
  await button(page, acme).click();
  await expectDashboard(page, vouched);
  await forgetSession(page);
  await page.goto('/');
  // The one that was used last stands first, and has the focus.
  await expect(page.locator('.login-panel').getByRole('button')).toHaveText([acme, useIt, 'Mail me a code']);
  await expect(button(page, acme)).toBeFocused();
  await expectNoViolation(page, 'the way that was used last comes first');
  await page.keyboard.press('Enter');
  await expectDashboard(page, vouched);
});
