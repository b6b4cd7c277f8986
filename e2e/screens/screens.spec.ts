/** Every screen behind the door, with all that opens on it (screens.ts): axe finds nothing (G4), and no text is left out. */
import { markTranslatedTexts } from './untranslated-texts.ts';
import { openAsAdministrator, test } from '../fixtures/site-test.ts';
import { auditScreens } from './audit-screens.ts';
import { seedScene, screens } from './screens.ts';

// One after the other they would keep a single worker busy for minutes.
test.describe.configure({ mode: 'parallel' });

/** What stands on the screens and is the same in every language. */
const given = [
  'From Paula.txt',
  'Map of the house.png',
  'Welcome.txt',
  'AA',
  'Azure AD B2C',
  'Company administrators',
  'Microsoft',
  'Nightly import',
  'Payroll',
  'not.an.address',
  'nobody is called that',
];

for (const [screen, looks] of Object.entries(screens))
  test(`${screen}: nothing breaks a rule, in any theme, wide and on a phone, and every text comes from the catalogs (G4)`, async ({
    page,
    site,
    expectConsole,
  }) => {
    expectConsole(/status of 404/, 'one address is of a person who is gone');
    const scene = await seedScene(site);
    await openAsAdministrator(page, site);
    await markTranslatedTexts(page);
    await auditScreens(page, site, looks, scene, given);
  });
