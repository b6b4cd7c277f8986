/** Every screen of a site with several ways to sign in (sign-in-method-screens.ts): axe finds nothing (G4), and no text is left out. */
import { markTranslatedTexts } from './untranslated-texts.ts';
import { auditScreens } from './audit-screens.ts';
import { oidcTest } from '../fixtures/oidc-site.ts';
import { seedSignInMethods, signInMethodScreens } from './sign-in-method-screens.ts';

const test = oidcTest({ methods: ['acme', 'globex'], withB2c: true });

test('the screens of ways to sign in and of moves: nothing breaks a rule, in any theme, wide and on a phone, and every text comes from the catalogs (G4, M5)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const looks = Object.values(signInMethodScreens).flat();
  const scene = await seedSignInMethods(oidc, page, await otherBrowser());
  await markTranslatedTexts(page);
  await auditScreens(page, oidc, looks, scene, [
    'AW',
    'Acme',
    'Globex',
    'Microsoft',
    '127.0.0.1',
    'vestibule.b2clogin.com',
  ]);
});
