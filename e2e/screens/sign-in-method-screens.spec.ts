/**
 * Accessibility and translation of the screens of a site with several sign-in methods
 * (sign-in-method-screens.ts; G4).
 */
import { markTranslatedTexts } from './untranslated-texts.ts';
import { auditScreens } from './audit-screens.ts';
import { severalMethodsTest as test } from '../fixtures/oidc-site.ts';
import { seedSignInMethods, signInMethodScreens } from './sign-in-method-screens.ts';

test('the screens of sign-in methods and migrations are accessible, fit a phone and are completely translated (G4, M5)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const views = Object.values(signInMethodScreens).flat();
  await markTranslatedTexts(page);
  const scene = await seedSignInMethods(oidc, page, await otherBrowser());
  await auditScreens(page, oidc, views, scene, [
    'AW',
    'Acme',
    'Globex',
    'Microsoft',
    '127.0.0.1',
    'vestibule.b2clogin.com',
  ]);
});
