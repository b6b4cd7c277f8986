import { B2cError } from '../b2c-error.ts';
import { html } from '../pages/html.ts';
import { checkDisplayName } from './new-password.ts';
import { button, fields, form } from '../pages/pages.ts';
import type { StepHandler } from './step.ts';

/** The profile page of somebody who is signed in. */
export const editProfile: StepHandler<'edit-profile'> = {
  page({ tenant, transaction, texts }, step, { problems, values, status }) {
    const account = tenant.accounts.find(step.accountId);
    const content = html`${fields(
        [
          {
            id: 'displayName',
            label: texts.displayName,
            value: values?.['displayName'] ?? account?.displayName ?? '',
            autocomplete: 'name',
          },
        ],
        problems,
      )}
      <div class="actions">
        ${button('continue', 'continue', texts.continue)}
        ${button('cancel', 'cancel', texts.cancel, 'second')}
      </div>`;
    return {
      title: texts.editTitle,
      lead: texts.editLead,
      body: form(transaction.csrfToken, 'edit-profile', content),
      ...(status !== undefined && { status }),
    };
  },

  submit({ tenant, texts, sessions }, step, submitted) {
    if (submitted.action === 'cancel') throw new B2cError('AADB2C90091', 'access_denied');
    const session = sessions.find(({ account }) => account.id === step.accountId);
    // Signed out elsewhere since the page was shown: prove it again before anything changes.
    if (!session) return { next: { name: 'sign-in' } };
    const displayName = submitted.get('displayName').trim();
    const problems = checkDisplayName(displayName, texts);
    if (Object.keys(problems).length > 0)
      return { again: { status: 400, problems, values: { displayName } } };
    tenant.accounts.setDisplayName(step.accountId, displayName);
    return { session };
  },
};
