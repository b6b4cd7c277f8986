import type { Account } from '../tenant/accounts.ts';
import type { Html } from '../pages/html.ts';
import type { FieldProblems, Page } from '../pages/pages.ts';
import type { PageTexts } from '../pages/page-texts.ts';
import type { Session } from '../tenant/sessions.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Step, Transaction } from '../tenant/transactions.ts';

export type StepContext = {
  tenant: Tenant;
  transaction: Transaction;
  texts: PageTexts;
  /** Accounts signed in in this browser. */
  sessions: Session[];
};

/** State of a page that is rendered again after a submit. */
export type View = {
  status?: number;
  problems?: FieldProblems;
  error?: string;
  notice?: string;
  values?: Record<string, string>;
  /** Adds a button to sign in instead. */
  accountExists?: boolean;
};

/** Result of a submitted form. A thrown B2cError ends the transaction with that error. */
export type StepResult =
  | { showAgain: View }
  | { next: Step; notice?: string }
  /** The user authenticated. */
  | { signedIn: Account; newUser?: boolean }
  /** The user is already signed in in this browser. */
  | { session: Session };

/** Content of a step's page; `content` is rendered inside its form. `status` defaults to the view's. */
type StepPage = Pick<Page, 'title' | 'lead' | 'status'> & { content: Html };

export type StepName = Step['name'];

export type StepHandler<Name extends StepName> = {
  page(context: StepContext, step: Extract<Step, { name: Name }>, view: View): StepPage;
  submit(
    context: StepContext,
    step: Extract<Step, { name: Name }>,
    form: Form,
  ): StepResult | Promise<StepResult>;
};

export type Form = {
  /** Name of the button that submitted the form. */
  action: string;
  /** Returns a field's text, truncated to 1,000 characters; empty if missing. */
  get(name: string): string;
};

const maxFieldLength = 1_000;

export function readForm(body: URLSearchParams): Form {
  const get = (name: string) => (body.get(name) ?? '').slice(0, maxFieldLength);
  return { action: get('action'), get };
}
