import { B2cError } from '../b2c-error.ts';
import { button, cancelButton, fields, type FieldProblems } from '../pages/pages.ts';
import { addressField, checkNewPassword, newPasswordFields, refuse, type StepHandler } from './step.ts';

/** Sign-up by invitation. The address is taken from the hint, never from the form. */
export const signUp: StepHandler<'sign-up'> = {
  page(_, { invitation }, { problems, values }) {
    const note = 'The invitation was sent to this address. It cannot be changed here.';
    const value = values?.['displayName'] ?? invitation.name ?? '';
    return {
      title: 'Create your account',
      lead: 'You have been invited. Choose a name and a password to finish.',
      formId: 'attributeVerification',
      content: fields(
        [
          addressField(invitation.email, { readonly: true, note }),
          { id: 'displayName', label: 'Display Name', value, autocomplete: 'name' },
          ...newPasswordFields,
        ],
        problems,
      ),
      actions: [button('continue', 'continue', 'Create'), cancelButton],
    };
  },

  async submit({ tenant: { accounts } }, { invitation }, get) {
    const displayName = get('displayName').trim();
    const values = { displayName };
    const refused = refuse({ ...checkDisplayName(displayName), ...checkNewPassword(get) }, values);
    if (refused) return refused;

    const { email, invitationId, hintId } = invitation;
    const password = get('newPassword');
    const signedIn = await accounts.create({ email, displayName, password, invitationId, hintId });
    if (signedIn) return { signedIn, newUser: true };
    // Another tab used the same hint first, or the address already had an account.
    if (accounts.isRedeemed(invitationId, hintId)) throw new B2cError('AADB2C90210', 'invalid_request');
    const error = 'An account already exists for this email address. Cancel, and sign in with it.';
    return { showAgain: { status: 409, error, values } };
  },
};

function checkDisplayName(name: string): FieldProblems {
  if (name === '') return { displayName: 'Enter the name you want to be known by.' };
  const isValid = name.length <= 100 && !/[\p{Cc}\u2028\u2029]/u.test(name);
  return isValid ? {} : { displayName: 'Use at most 100 characters and no line breaks.' };
}
