import { checkInvitation } from '../authorize/authorize.ts';
import { B2cError } from '../b2c-error.ts';
import { HintIssuerUnreachable } from '../authorize/id-token-hint.ts';
import { html } from '../pages/html.ts';
import {
  addressField,
  checkDisplayName,
  checkNewPassword,
  displayNameField,
  newPasswordFields,
} from './user-fields.ts';
import { button, fields, errorBanner } from '../pages/pages.ts';
import { passwordScriptTag } from '../pages/password-script.ts';
import type { StepHandler } from './step.ts';

/** Shown when the hint's issuer is unreachable, so the invitation cannot be validated yet. */
export const checkHint: StepHandler<'check-hint'> = {
  page({ texts }) {
    const content = html`${errorBanner(texts.hintUnreachable)}
      <div class="actions">
        ${button('tryAgain', 'try-again', texts.tryAgain)}
        ${button('cancel', 'cancel', texts.cancel, 'second')}
      </div>`;
    return {
      title: texts.hintUnreachableTitle,
      content,
      status: 503,
    };
  },

  async submit({ tenant }, step) {
    try {
      return { next: { name: 'sign-up', invitation: await checkInvitation(tenant, step.hint) } };
    } catch (error) {
      if (!(error instanceof HintIssuerUnreachable)) throw error;
      tenant.log(`an id_token_hint could not be checked: ${error.message}`);
      return { showAgain: {} };
    }
  },
};

/** The address is taken from the hint, never from the form. */
export const signUp: StepHandler<'sign-up'> = {
  page({ texts }, { invitation }, { problems, values, accountExists }) {
    const content = html`${errorBanner(accountExists ? texts.accountExists : undefined)}
      ${fields(
        [
          addressField(texts, invitation.email, { readonly: true, note: texts.signUpEmailNote }),
          displayNameField(texts, values?.['displayName'] ?? invitation.name ?? ''),
          ...newPasswordFields(texts),
        ],
        problems,
      )}
      ${passwordScriptTag(texts)}
      <div class="actions">
        ${button('continue', 'continue', texts.create)}
        ${accountExists ? button('signInInstead', 'cancel', texts.signInInstead, 'second') : ''}
        ${button('cancel', 'cancel', texts.cancel, accountExists ? 'quiet' : 'second')}
      </div>`;
    return {
      title: texts.signUpTitle,
      lead: texts.signUpLead,
      content,
    };
  },

  async submit({ tenant, texts }, { invitation }, submitted) {
    const displayName = submitted.get('displayName').trim();
    const values = { displayName };
    const problems = { ...checkDisplayName(displayName, texts), ...checkNewPassword(submitted, texts) };
    if (Object.keys(problems).length > 0) return { showAgain: { status: 400, problems, values } };

    const account = await tenant.accounts.create({
      email: invitation.email,
      displayName,
      password: submitted.get('newPassword'),
      invitationId: invitation.invitationId,
      hintId: invitation.hintId,
    });
    if (account) return { signedIn: account, newUser: true };
    // Another tab used the same hint first, or the address already had an account.
    if (tenant.accounts.isRedeemed(invitation.invitationId, invitation.hintId)) {
      throw new B2cError('AADB2C90210', 'invalid_request');
    }
    return { showAgain: { status: 409, accountExists: true, values } };
  },
};
