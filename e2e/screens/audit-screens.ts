/** Looks at screens one after the other: axe, in every theme, and whether what they say comes from the catalogs. */
import { expectContrastInEveryTheme, expectNoViolation, expectNoRuleViolation } from './axe.ts';
import { findUntranslatedTexts } from './untranslated-texts.ts';
import { expect, type Page } from '../fixtures/site-test.ts';
import type { Site } from '../fixtures/site.ts';
import { openView, type ScreenView } from './screens.ts';

/** What stands on the screens and is the same in every language. */
const untranslatedTerms = [
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
const mailPreviews = ['how mails look', 'asking everybody', 'asking selected people'];

/** `given` is what the looks bring of their own, such as names. The page's texts are marked (`markTexts`). */
export async function auditScreens<Scene>(
  page: Page,
  site: Pick<Site, 'sql'>,
  looks: readonly ScreenView<Scene>[],
  scene: Scene,
  given: readonly string[],
): Promise<void> {
  // The site is shared with other journeys, so what they named may stand in a list or in the log.
  const called = await site.sql(
    `select display_name as name from people union select display_name from removed_people union select name from personal_tokens union select name from attachments
     union select type from attachments union select target_label from audit_log where target_type in ('attachment', 'token', 'view')`,
  );
  const data = [
    'Vestibule',
    ...given,
    ...untranslatedTerms,
    ...languages,
    ...called.map(({ name }) => String(name)),
  ];
  for (const look of looks) {
    await openView(page, look, scene);
    if (!mailPreviews.includes(look.name))
      expect(await findUntranslatedTexts(page, data), look.name).toEqual([]);
    await (look.isFloating ? expectNoRuleViolation : expectNoViolation)(page, look.name);
    await expectContrastInEveryTheme(page, look.name);
  }
}
