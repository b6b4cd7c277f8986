import type { Account } from '../tenant/accounts.ts';
import type { Html } from '../pages/html.ts';
import type { FieldProblems, Page } from '../pages/pages.ts';
import type { PageTexts } from '../pages/page-texts.ts';
import type { Session } from '../tenant/sessions.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Step, Transaction } from '../tenant/transactions.ts';

/** What a step works with. */
export type StepContext = {
  tenant: Tenant;
  transaction: Transaction;
  texts: PageTexts;
  /** The accounts signed in at this browser. */
  sessions: Session[];
};

/** A step's page shown again: what was wrong, and what had been typed. */
export type View = {
  status?: number;
  problems?: FieldProblems;
  error?: string;
  notice?: string;
  values?: Record<string, string>;
  /** Offers the way out to somebody whose account exists already. */
  accountExists?: boolean;
};

/** What a form led to. A B2cError thrown instead ends the transaction with that error. */
export type StepResult =
  | { showAgain: View }
  | { next: Step; notice?: string }
  /** The person proved who they are. */
  | { signedIn: Account; newUser?: boolean }
  /** The person is who a session of this browser says. */
  | { session: Session };

/** What a step shows; `content` stands in its form. The status is that of the view where it names none. */
type StepPage = Pick<Page, 'title' | 'lead' | 'status'> & { content: Html };

/** The name of a step. */
export type StepName = Step['name'];

/** One step of a policy: its page and what its form does. */
export type StepHandler<Name extends StepName> = {
  page(context: StepContext, step: Extract<Step, { name: Name }>, view: View): StepPage;
  submit(
    context: StepContext,
    step: Extract<Step, { name: Name }>,
    form: Form,
  ): StepResult | Promise<StepResult>;
};

/** The fields of a submitted form. */
export type Form = {
  /** The button that was used. */
  action: string;
  /** A field's text as typed, cut to 1,000 characters; empty when absent. */
  get(name: string): string;
};

const maxFieldLength = 1_000;

/** Reads a form body. */
export function readForm(body: URLSearchParams): Form {
  const get = (name: string) => (body.get(name) ?? '').slice(0, maxFieldLength);
  return { action: get('action'), get };
}
