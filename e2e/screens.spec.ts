/** Every screen behind the door, with all that opens on it (screens.ts): axe finds nothing (G4), and no text is left out. */
import { expectContrastInEveryTheme, expectNoViolation, expectRulesKept } from './axe.ts';
import { markTexts, textsOutsideCatalogs } from './catalog-texts.ts';
import { enter, expect, test } from './journey.ts';
import { furnish, screens, show } from './screens.ts';

// One after the other they would keep a single worker busy for minutes.
test.describe.configure({ mode: 'parallel' });

/** What stands on the screens and is the same in every language. */
const files = ['From Paula.txt', 'Map of the house.png', 'Welcome.txt'];
const given = ['Vestibule', 'AA', 'Nightly import', 'not.an.address', 'nobody is called that'];
const technical = [
  'SHA-256',
  'text/plain',
  'local',
  'Chrome',
  'Linux',
  'byte',
  'bytes',
  'kB',
  'MB',
  'GB',
  // The scope of tokens.
  'access',
  // Policies, as the tenant calls them.
  'B2C_1A_SignIn',
  'B2C_1A_SignUp_Invitation',
  'B2C_1A_PasswordReset',
];
/** A language calls itself by its own name in every language. */
const languages = ['English', 'Deutsch'];
/** A mail is in the language of its reader. */
const inWordsOfOthers = ['how mails look'];

for (const [screen, looks] of Object.entries(screens))
  test(`${screen}: nothing breaks a rule, in any theme, wide and on a phone, and every text comes from the catalogs (G4)`, async ({
    page,
    site,
    expectConsole,
  }) => {
    test.setTimeout(30_000 + looks.length * 25_000);
    expectConsole(/status of 404/, 'one address is of a person who is gone');
    const scene = await furnish(site);
    await enter(page, site);
    await markTexts(page);
    // The site is shared with other journeys, so what they named may stand in a list or in the log.
    const called = await site.sql(
      `select display_name as name from people union select display_name from removed_people union select name from personal_tokens union select name from attachments
       union select target_label from audit_log where target_type in ('attachment', 'token', 'view')`,
    );
    const data = [...files, ...given, ...technical, ...languages, ...called.map(({ name }) => String(name))];
    for (const look of looks) {
      await show(page, look, scene);
      if (!inWordsOfOthers.includes(look.name))
        expect(await textsOutsideCatalogs(page, data), look.name).toEqual([]);
      await (look.floats ? expectRulesKept : expectNoViolation)(page, look.name);
      await expectContrastInEveryTheme(page, look.name);
    }
  });
