/** Steps of the sign-in policy: password sign-in and account selection. */
import { B2cError } from '../b2c-error.ts';
import { canonicalEmail, emailMaximumLength, isEmailAddress } from '../tenant/email-address.ts';
import { html } from '../pages/html.ts';
import { button, fields, errorBanner } from '../pages/pages.ts';
import { passwordScriptTag } from '../pages/password-script.ts';
import type { FieldProblems } from '../pages/pages.ts';
import { addressField } from './user-fields.ts';
import type { StepHandler } from './step.ts';

/** Address and password. "Forgot your password?" returns AADB2C90118. */
export const signIn: StepHandler<'sign-in'> = {
  page({ transaction, texts }, step, { problems, error, values }) {
    const content = html`${errorBanner(error)}
      ${fields(
        [
          addressField(texts, values?.['email'] ?? step.email ?? '', {
            elementId: transaction.policy.signInField,
            // B2C tests use either id; programs that fill in a label fill in its field.
            labelId: transaction.policy.signInField === 'email' ? 'logonIdentifier' : 'email',
            maxlength: emailMaximumLength,
          }),
          { id: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' },
        ],
        problems,
      )}
      ${passwordScriptTag(texts)}
      <div class="actions">
        ${button('next', 'next', texts.signIn)}
        ${button('forgotPassword', 'forgot', texts.forgotPassword, 'quiet')}
      </div>`;
    return {
      title: texts.signInTitle,
      lead: texts.signInLead,
      content,
    };
  },

  async submit({ tenant, texts }, _, submitted) {
    if (submitted.action === 'forgot') throw new B2cError('AADB2C90118', 'access_denied');
    const email = submitted.get('email').trim();
    const password = submitted.get('password');
    const values = { email };

    const problems: FieldProblems = {};
    if (email === '') problems['email'] = texts.emailMissing;
    else if (!isEmailAddress(email)) problems['email'] = texts.emailInvalid;
    if (password === '') problems['password'] = texts.passwordMissing;
    if (Object.keys(problems).length > 0) return { showAgain: { status: 400, problems, values } };

    // Unknown addresses are counted and locked like known ones, so that the lock does not reveal which exist.
    const key = canonicalEmail(email);
    if (!tenant.signInAttempts.take(key)) {
      return { showAgain: { status: 429, error: `AADB2C90114: ${texts.locked}`, values } };
    }
    const account = await tenant.accounts.authenticate(email, password);
    if (!account) return { showAgain: { status: 400, error: texts.credentialsWrong, values } };
    tenant.signInAttempts.clear(key);
    return { signedIn: account };
  },
};

export const selectAccount: StepHandler<'select-account'> = {
  page({ texts, sessions }) {
    const content = html`<ul class="accounts">
        ${sessions.map(
          ({ account }) =>
            html`<li>
              <button
                type="submit"
                class="account"
                name="account"
                value="${account.id}"
                data-email="${account.email}"
              >
                <span class="initial" aria-hidden="true">${getInitial(account.displayName)}</span>
                <span class="name">${account.displayName}</span><span class="email">${account.email}</span>
              </button>
            </li> `,
        )}
      </ul>
      ${button('otherAccount', 'other', texts.otherAccount, 'second')}`;
    return {
      title: texts.selectTitle,
      lead: texts.selectLead,
      content,
    };
  },

  submit({ tenant, transaction, sessions }, _, submitted) {
    const chosen = sessions.find(({ account }) => account.id === submitted.get('account'));
    if (!chosen) return { next: { name: 'sign-in' } };
    const { maxAgeSeconds, prompts } = transaction.request;
    const isTooOld = maxAgeSeconds !== undefined && chosen.authTime + maxAgeSeconds * 1000 < tenant.now();
    if (isTooOld || prompts.has('login')) return { next: { name: 'sign-in', email: chosen.account.email } };
    return { session: chosen };
  },
};

function getInitial(name: string): string {
  return String.fromCodePoint(name.codePointAt(0) ?? 63).toUpperCase();
}
