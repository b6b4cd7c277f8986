/** Accessibility and translation of every signed-in screen and its overlays (screens.ts; G4). */
import { markTranslatedTexts } from './untranslated-texts.ts';
import { openAsAdministrator, test } from '../fixtures/site-test.ts';
import { auditScreens } from './audit-screens.ts';
import { screens } from './screens.ts';
import { organizationName, personName, seedScene } from './seed-scene.ts';

// An own site, because data of other tests would count as untranslated.
test.use({ serverEnv: { PRODUCT_NAME: 'Vestibule' } });

/** Data that is the same in every language. */
const given = [
  organizationName,
  personName,
  'Acme',
  'acme',
  'From Paula.txt',
  'customers.csv',
  'Dover Freight',
  'dover-freight',
  'Easton',
  'Rita Request',
  'rita@elsewhere.invalid',
  'Map of the house.png',
  'Welcome.txt',
  'AA',
  'Azure AD B2C',
  'Calendar',
  'calendar.invalid',
  'Company administrators',
  'Microsoft',
  // Reply of the test mail server to unknown mailboxes.
  'No such mailbox here',
  'Nightly import',
  'Payroll',
  'not.an.address',
  'no such person',
];

test('every view is accessible, fits a phone and is translated (G4)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 400/, 'a token and a webhook without required values');
  expectConsole(/status of 404/, 'one address belongs to a removed person');
  const scene = await seedScene(site);
  await markTranslatedTexts(page);
  await openAsAdministrator(page, site);
  await auditScreens(page, site, Object.values(screens).flat(), scene, given);
});
