/** Steps of the sign-in policy: password sign-in and account selection. */
import { B2cError } from '../b2c-error.ts';
import { button, fields, html, type FieldProblems } from '../pages/pages.ts';
import { canonicalEmail, isEmailAddress } from '../tenant/accounts.ts';
import { isRecent } from '../tenant/sessions.ts';
import { addressField, refuse, type StepHandler } from './step.ts';

/** Address and password. "Forgot your password?" returns AADB2C90118. */
export const signIn: StepHandler<'sign-in'> = {
  page({ transaction }, step, { problems, values }) {
    const { signInField: elementId } = transaction.policy;
    // B2C tests use either id; programs that fill in a label fill in its field.
    const labelId = elementId === 'email' ? 'logonIdentifier' : 'email';
    const address = addressField(values?.['email'] ?? step.email ?? '', { elementId, labelId });
    return {
      title: 'Sign in',
      lead: 'Sign in with your email address.',
      formId: 'localAccountForm',
      content: fields(
        [address, { id: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }],
        problems,
      ),
      actions: [
        button('next', 'next', 'Sign in'),
        button('forgotPassword', 'forgot', 'Forgot your password?', 'second'),
      ],
    };
  },

  async submit({ tenant }, _, get) {
    if (get('action') === 'forgot') throw new B2cError('AADB2C90118', 'access_denied');
    const email = get('email').trim();
    const password = get('password');
    const values = { email };
    const problems: FieldProblems = checkAddress(email);
    if (password === '') problems['password'] = 'Enter your password.';
    const refused = refuse(problems, values);
    if (refused) return refused;

    // Unknown addresses are counted and locked like known ones, so that the lock does not reveal which exist.
    const key = canonicalEmail(email);
    if (!tenant.signInAttempts.take(key)) {
      const error =
        'AADB2C90114: Your account is temporarily locked to prevent unauthorized use. Try again later.';
      return { showAgain: { status: 429, error, values } };
    }
    const signedIn = await tenant.accounts.authenticate(email, password);
    if (!signedIn) {
      const error = 'The email address or password is incorrect. Check both and try again.';
      return { showAgain: { status: 400, error, values } };
    }
    tenant.signInAttempts.clear(key);
    return { signedIn };
  },
};

export function checkAddress(email: string): FieldProblems {
  if (email === '') return { email: 'Enter your email address.' };
  return isEmailAddress(email) ? {} : { email: 'Enter an email address such as name@example.com.' };
}

export const selectAccount: StepHandler<'select-account'> = {
  page({ sessions }) {
    return {
      title: 'Pick an account',
      lead: 'You are signed in with these accounts in this browser.',
      content: html``,
      actions: [
        ...sessions.map(
          ({ account: { id, email, displayName } }) =>
            html`<button class="account second" name="account" value="${id}" data-email="${email}">
              ${displayName} <span>${email}</span>
            </button>`,
        ),
        button('otherAccount', 'other', 'Use another account', 'second'),
      ],
    };
  },

  submit({ tenant, transaction: { request }, sessions }, _, get) {
    const session = sessions.find(({ account }) => account.id === get('account'));
    if (!session) return { next: { name: 'sign-in' } };
    if (isRecent(session, request.maxAgeSeconds, tenant.now()) && !request.prompts.has('login'))
      return { session };
    return { next: { name: 'sign-in', email: session.account.email } };
  },
};
