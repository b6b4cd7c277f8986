/**
 * Steps of the reset policy: e-mailed code, then new password. All sessions and tokens of the account are
 * revoked. Responses do not reveal whether an address has an account.
 */
import { randomInt } from 'node:crypto';
import { B2cError } from '../b2c-error.ts';
import { hashSecret } from '../tenant/database.ts';
import { canonicalEmail, emailMaximumLength, isEmailAddress } from '../tenant/email-address.ts';
import { html } from '../pages/html.ts';
import { addressField, checkNewPassword, newPasswordFields } from './user-fields.ts';
import { button, fields, noticeBanner, errorBanner } from '../pages/pages.ts';
import { passwordScriptTag } from '../pages/password-script.ts';
import { fillText, pageTexts } from '../pages/page-texts.ts';
import type { Language } from '../pages/page-texts.ts';
import type { StepHandler } from './step.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Step } from '../tenant/transactions.ts';

const maxTries = 5;

/** Sends a new code if the address has an account. Returns undefined when the mail limit is reached. */
function sendCode(tenant: Tenant, email: string, language: Language): Step | undefined {
  if (!tenant.resetMails.take(canonicalEmail(email))) return undefined;
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const account = tenant.accounts.findByEmail(email);
  if (account) {
    const minutes = getCodeMinutes(tenant);
    const texts = pageTexts[language];
    tenant.sendMailInBackground({
      to: account.email,
      subject: texts.mailSubject,
      text: fillText(texts.mailText, code, minutes),
      language,
    });
  }
  return {
    name: 'reset-code',
    email,
    accountId: account?.id,
    codeHash: hashSecret(code),
    expiresAt: tenant.now() + tenant.lifetimes.resetCodeSeconds * 1000,
    triesLeft: maxTries,
  };
}

function getCodeMinutes(tenant: Tenant): number {
  return Math.max(1, Math.round(tenant.lifetimes.resetCodeSeconds / 60));
}

export const resetEmail: StepHandler<'reset-email'> = {
  page({ transaction, texts }, _, { problems, error, values }) {
    const email = values?.['email'] ?? transaction.request.loginHint ?? '';
    const content = html`${errorBanner(error)}
      ${fields([addressField(texts, email, { maxlength: emailMaximumLength })], problems)}
      <div class="actions">
        ${button('sendCode', 'send-code', texts.sendCode)}
        ${button('cancel', 'cancel', texts.cancel, 'second')}
      </div>`;
    return {
      title: texts.resetTitle,
      lead: texts.resetEmailLead,
      content,
    };
  },

  submit({ tenant, texts, transaction }, _, submitted) {
    const email = submitted.get('email').trim();
    const values = { email };
    if (email === '') return { showAgain: { status: 400, problems: { email: texts.emailMissing }, values } };
    if (!isEmailAddress(email)) {
      return { showAgain: { status: 400, problems: { email: texts.emailInvalid }, values } };
    }
    const next = sendCode(tenant, email, transaction.request.language);
    return next ? { next } : { showAgain: { status: 429, error: texts.tooManyMails, values } };
  },
};

export const resetCode: StepHandler<'reset-code'> = {
  page({ tenant, texts }, step, { problems, error, notice }) {
    const content = html`${errorBanner(error)}${noticeBanner(notice)}
      ${fields(
        [
          addressField(texts, step.email, { readonly: true }),
          {
            id: 'verificationCode',
            label: texts.verificationCode,
            note: fillText(texts.resetCodeNote, getCodeMinutes(tenant)),
            autocomplete: 'one-time-code',
            inputmode: 'numeric',
          },
        ],
        problems,
      )}
      <div class="actions">
        ${button('verifyCode', 'verify-code', texts.verifyCode)}
        ${button('sendCode', 'send-code', texts.sendNewCode, 'second')}
        ${button('cancel', 'cancel', texts.cancel, 'quiet')}
      </div>`;
    return {
      title: texts.resetTitle,
      lead: fillText(texts.resetCodeLead, step.email),
      content,
    };
  },

  submit({ tenant, texts, transaction }, step, submitted) {
    if (submitted.action === 'send-code') {
      const next = sendCode(tenant, step.email, transaction.request.language);
      return next
        ? { next, notice: texts.newCodeSent }
        : { showAgain: { status: 429, error: texts.tooManyMails } };
    }
    const code = submitted.get('verificationCode').replaceAll(/\s/g, '');
    if (code === '') return { showAgain: { status: 400, problems: { verificationCode: texts.codeMissing } } };

    step.triesLeft -= 1;
    // Compares hashes, so that timing reveals nothing about the code.
    const isRight = hashSecret(code) === step.codeHash && step.expiresAt > tenant.now();
    if (isRight && step.accountId !== undefined) {
      return { next: { name: 'reset-password', accountId: step.accountId } };
    }
    if (step.triesLeft <= 0) throw new B2cError('AADB2C90157', 'access_denied');
    return { showAgain: { status: 400, problems: { verificationCode: texts.codeWrong } } };
  },
};

export const resetPassword: StepHandler<'reset-password'> = {
  page({ tenant, texts }, step, { problems }) {
    const account = tenant.accounts.find(step.accountId);
    const address = addressField(texts, account?.email ?? '', { readonly: true });
    const content = html`${fields([address, ...newPasswordFields(texts)], problems)}
      ${passwordScriptTag(texts)}
      <div class="actions">
        ${button('continue', 'continue', texts.continue)}
        ${button('cancel', 'cancel', texts.cancel, 'second')}
      </div>`;
    return {
      title: texts.resetTitle,
      lead: texts.resetPasswordLead,
      content,
    };
  },

  async submit({ tenant, texts }, step, submitted) {
    const problems = checkNewPassword(submitted, texts);
    if (Object.keys(problems).length > 0) return { showAgain: { status: 400, problems } };
    await tenant.accounts.setPassword(step.accountId, submitted.get('newPassword'));
    // A changed password revokes existing sessions and tokens (RFC 9700 section 4.14.2).
    tenant.grants.revokeAll(step.accountId);
    tenant.sessions.endAll(step.accountId);
    const account = tenant.accounts.find(step.accountId)!;
    tenant.signInAttempts.clear(canonicalEmail(account.email));
    return { signedIn: account };
  },
};
