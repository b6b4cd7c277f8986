/** Every screen of a site with several ways to sign in (sign-in-method-screens.ts): axe finds nothing (G4), and no text is left out. */
import { markTexts } from './untranslated-texts.ts';
import { lookAround } from './audit-screens.ts';
import { oidcTest } from '../fixtures/oidc-site.ts';
import { furnishWays, wayScreens } from './sign-in-method-screens.ts';

const test = oidcTest({ ways: ['acme', 'globex'], withB2c: true });

test('the screens of ways to sign in and of moves: nothing breaks a rule, in any theme, wide and on a phone, and every text comes from the catalogs (G4, M5)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const looks = Object.values(wayScreens).flat();
  const scene = await furnishWays(oidc, page, await otherBrowser());
  await markTexts(page);
  await lookAround(page, oidc, looks, scene, [
    'AW',
    'Acme',
    'Globex',
    'Microsoft',
    '127.0.0.1',
    'vestibule.b2clogin.com',
  ]);
});
