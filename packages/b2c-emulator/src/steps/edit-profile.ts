import { html } from '../pages/html.ts';
import { checkDisplayName, displayNameField } from './user-fields.ts';
import { button, fields } from '../pages/pages.ts';
import type { StepHandler } from './step.ts';

export const editProfile: StepHandler<'edit-profile'> = {
  page({ tenant, texts }, step, { problems, values }) {
    const account = tenant.accounts.find(step.accountId);
    const name = values?.['displayName'] ?? account?.displayName ?? '';
    const content = html`${fields([displayNameField(texts, name)], problems)}
      <div class="actions">
        ${button('continue', 'continue', texts.continue)}
        ${button('cancel', 'cancel', texts.cancel, 'second')}
      </div>`;
    return {
      title: texts.editTitle,
      lead: texts.editLead,
      content,
    };
  },

  submit({ tenant, texts, sessions }, step, submitted) {
    const session = sessions.find(({ account }) => account.id === step.accountId);
    // The user signed out in another tab: require a new sign-in before the change.
    if (!session) return { next: { name: 'sign-in' } };
    const displayName = submitted.get('displayName').trim();
    const problems = checkDisplayName(displayName, texts);
    if (Object.keys(problems).length > 0)
      return { showAgain: { status: 400, problems, values: { displayName } } };
    tenant.accounts.setDisplayName(step.accountId, displayName);
    return { session };
  },
};
