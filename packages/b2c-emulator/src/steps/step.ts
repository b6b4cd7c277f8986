/** Parts that the steps share: their types, and the fields of a user's address, name and new password. */
import { html, type Field, type FieldProblems, type Html } from '../pages/pages.ts';
import { isStrongPassword } from '../tenant/accounts.ts';
import type { Session } from '../tenant/sessions.ts';
import type { Account } from '../tenant/store.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Step, Transaction } from '../tenant/transactions.ts';

export type StepContext = {
  tenant: Tenant;
  transaction: Transaction;
  /** Accounts signed in in this browser. */
  sessions: Session[];
};

/** State of a page that is rendered again after a submit. */
export type View = {
  status?: number;
  problems?: FieldProblems;
  /** About the whole form. */
  error?: string;
  notice?: string;
  /** Submitted values by field. */
  values?: Record<string, string>;
};

/** Result of a submitted form. A thrown B2cError ends the transaction with that error. */
export type StepResult =
  | { showAgain: View }
  | { next: Step; notice?: string }
  /** The user authenticated. */
  | { signedIn: Account; newUser?: boolean }
  /** The user is already signed in in this browser. */
  | { session: Session };

/** `formId` is B2C's id: one for password sign-in, one for pages that collect user attributes. */
type StepPage = {
  title: string;
  lead: string;
  formId?: 'localAccountForm' | 'attributeVerification';
  content: Html;
  actions: Html[];
};

export type StepHandler<Name extends Step['name']> = {
  page(context: StepContext, step: Extract<Step, { name: Name }>, view: View): StepPage;
  submit(
    context: StepContext,
    step: Extract<Step, { name: Name }>,
    get: GetField,
  ): StepResult | Promise<StepResult>;
};

/** Returns a submitted field's text, truncated to 1,000 characters; empty if missing. */
export type GetField = (name: string) => string;

/** Returns a result that shows the page again, or undefined without problems. */
export function refuse(problems: FieldProblems, values: Record<string, string> = {}): StepResult | undefined {
  return Object.keys(problems).length > 0 ? { showAgain: { status: 400, problems, values } } : undefined;
}

/** Returns the e-mail field, with B2C's element id unless `more` overrides it. */
export function addressField(value: string, more: Partial<Field> = {}): Field {
  return { id: 'email', label: 'Email Address', type: 'email', value, autocomplete: 'username', ...more };
}

const passwordRule = '8 to 64 characters, with three of: lower case, upper case, digit, symbol.';

/** The two fields of a new password, with B2C's element ids. */
export const newPasswordFields: Field[] = [
  {
    id: 'newPassword',
    label: 'New Password',
    type: 'password',
    note: passwordRule,
    autocomplete: 'new-password',
  },
  { id: 'reenterPassword', label: 'Confirm New Password', type: 'password', autocomplete: 'new-password' },
];

export function checkNewPassword(get: GetField): FieldProblems {
  const password = get('newPassword');
  if (password === '') return { newPassword: 'Enter a new password.' };
  if (!isStrongPassword(password)) {
    return { newPassword: 'This password does not meet the rule below. Choose another one.' };
  }
  if (password === get('reenterPassword')) return {};
  return { reenterPassword: 'The two passwords are not the same. Enter both again.' };
}

/** An error or a notice about the whole form. */
export function banner({ error, notice }: View): Html {
  return html`${error && html`<p class="banner wrong" role="alert">${error}</p>`}
  ${notice && html`<p class="banner" role="status">${notice}</p>`}`;
}
