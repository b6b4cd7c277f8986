/** Audits screens: axe, the width of a phone, and untranslated texts. */
import { expectNoViolation, expectNoRuleViolation } from './axe.ts';
import { findUntranslatedTexts } from './untranslated-texts.ts';
import { expect, type Page } from '../fixtures/site-test.ts';
import type { Site } from '../../packages/testing/src/site.ts';
import { openView, type ScreenView } from './screens.ts';

/** Terms that are the same in every language. */
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
  // Token scope.
  'access',
  // B2C policies.
  'B2C_1A_SignIn',
  'B2C_1A_SignUp_Invitation',
  'B2C_1A_PasswordReset',
];
/** Names of languages, which are not translated. */
const languages = ['English', 'Deutsch'];
/** Titles of previews of mails, which are in the recipient's language. */
const mailPreviews = [
  'the preview of e-mails',
  'sending the link to everyone',
  'sending the link to selected people',
];

/** Audits the screens. `given` has names and other data that they show. The page must use `markTranslatedTexts`. */
export async function auditScreens<Scene>(
  page: Page,
  site: Pick<Site, 'sql'>,
  views: readonly ScreenView<Scene>[],
  scene: Scene,
  given: readonly string[],
): Promise<void> {
  // Other tests on this site may have created data with names that are not in `given`.
  const called = await site.sql(
    `select display_name as name from people union select display_name from removed_people union select name from invitations where name <> ''
     union select name from personal_tokens union select name from attachments
     union select type from attachments union select target_label from audit_log where target_type in ('attachment', 'token', 'view')`,
  );
  const data = [
    'Vestibule',
    ...given,
    ...untranslatedTerms,
    ...languages,
    ...called.map(({ name }) => String(name)),
  ];
  for (const view of views) {
    await openView(page, view, scene);
    if (!mailPreviews.includes(view.name))
      expect(await findUntranslatedTexts(page, data), view.name).toEqual([]);
    await (view.isFloating ? expectNoRuleViolation : expectNoViolation)(page, view.name);
  }
}
