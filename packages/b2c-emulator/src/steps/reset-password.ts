/**
 * Steps of the reset policy: e-mailed code, then new password. All sessions and tokens of the account are
 * revoked. Responses do not reveal whether an address has an account.
 */
import { randomInt } from 'node:crypto';
import { B2cError } from '../b2c-error.ts';
import { button, cancelButton, fields } from '../pages/pages.ts';
import { hashSecret } from '../tenant/store.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { checkAddress } from './sign-in.ts';
import {
  addressField,
  checkNewPassword,
  newPasswordFields,
  refuse,
  type StepHandler,
  type StepResult,
} from './step.ts';

const maxTries = 5;
const codeMinutes = 10;
const title = 'Reset your password';
const formId = 'attributeVerification';

/** Sends a code if the address has an account, and shows the next page. */
async function sendCode(tenant: Tenant, email: string, notice?: string): Promise<StepResult> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const account = tenant.accounts.findByEmail(email);
  if (account) {
    await tenant.sendMail({
      to: account.email,
      subject: 'Your verification code',
      text: `Your verification code is ${code}\n\nIt works once, within ${codeMinutes} minutes. If you did not request it, you can ignore this email.\n`,
    });
  }
  const expiresAt = tenant.now() + codeMinutes * 60_000;
  const codeHash = hashSecret(code);
  const next = { name: 'reset-code', email, account, codeHash, expiresAt, triesLeft: maxTries } as const;
  return { next, ...(notice !== undefined && { notice }) };
}

export const resetEmail: StepHandler<'reset-email'> = {
  page({ transaction }, _, { problems, values }) {
    return {
      title,
      lead: 'Enter your email address and we will send you a verification code.',
      formId,
      content: fields([addressField(values?.['email'] ?? transaction.request.loginHint ?? '')], problems),
      actions: [button('sendCode', 'send-code', 'Send verification code'), cancelButton],
    };
  },

  submit({ tenant }, _, get) {
    const email = get('email').trim();
    return refuse(checkAddress(email), { email }) ?? sendCode(tenant, email);
  },
};

export const resetCode: StepHandler<'reset-code'> = {
  page(_, { email }, { problems }) {
    const note = `The code has 6 digits and works for ${codeMinutes} minutes.`;
    return {
      title,
      lead: `If there is an account for ${email}, a verification code is on its way. Enter it here.`,
      formId,
      content: fields(
        [
          addressField(email, { readonly: true }),
          { id: 'verificationCode', label: 'Verification Code', note, autocomplete: 'one-time-code' },
        ],
        problems,
      ),
      actions: [
        button('verifyCode', 'verify-code', 'Verify code'),
        button('sendCode', 'send-code', 'Send new code', 'second'),
        cancelButton,
      ],
    };
  },

  submit({ tenant }, step, get) {
    if (get('action') === 'send-code') {
      const notice =
        'If there is an account for this address, a new code has been sent. Earlier codes no longer work.';
      return sendCode(tenant, step.email, notice);
    }
    const code = get('verificationCode').replaceAll(/\s/g, '');
    if (code === '')
      return { showAgain: { status: 400, problems: { verificationCode: 'Enter the code from the email.' } } };

    step.triesLeft -= 1;
    // Compares hashes, so that timing reveals nothing about the code.
    const isRight = hashSecret(code) === step.codeHash && step.expiresAt > tenant.now();
    if (isRight && step.account) return { next: { name: 'reset-password', account: step.account } };
    if (step.triesLeft <= 0) throw new B2cError('AADB2C90157', 'access_denied');
    const verificationCode = 'That code is incorrect or no longer works. Check it, or send a new one.';
    return { showAgain: { status: 400, problems: { verificationCode } } };
  },
};

export const resetPassword: StepHandler<'reset-password'> = {
  page(_, { account }, { problems }) {
    return {
      title,
      lead: 'Your email address is verified. Choose a new password.',
      formId,
      content: fields([addressField(account.email, { readonly: true }), ...newPasswordFields], problems),
      actions: [button('continue', 'continue', 'Continue'), cancelButton],
    };
  },

  async submit({ tenant }, { account }, get) {
    const refused = refuse(checkNewPassword(get));
    if (refused) return refused;
    await tenant.accounts.setPassword(account, get('newPassword'));
    // A changed password revokes existing sessions and tokens (RFC 9700 section 4.14.2).
    tenant.grants.revokeAll(account.id);
    tenant.sessions.endAll(account.id);
    tenant.signInAttempts.clear(account.emailKey);
    return { signedIn: account };
  },
};
