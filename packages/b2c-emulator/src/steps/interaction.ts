/**
 * The pages between an authorize request and its response: renders the current step of a transaction, handles
 * its form and finishes the transaction. The steps are in the other files of this folder.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeResponse, errorResponse } from '../authorize/authorization-response.ts';
import type { AuthorizationRequest } from '../authorize/authorization-response.ts';
import { B2cError } from '../b2c-error.ts';
import { readCookie, sessionCookie, transactionCookie, writeCookie } from '../cookies.ts';
import type { PolicyEndpoint } from '../endpoint.ts';
import { editProfile } from './edit-profile.ts';
import { getApplicationUrl, form } from '../pages/pages.ts';
import { pageTexts } from '../pages/page-texts.ts';
import { sendMessagePage, sendPage, sendResponse } from '../pages/send-page.ts';
import { resetCode, resetEmail, resetPassword } from './reset-password.ts';
import type { Session } from '../tenant/sessions.ts';
import { selectAccount, signIn } from './sign-in.ts';
import { checkHint, signUp } from './sign-up.ts';
import { readForm } from './step.ts';
import type { StepContext, StepHandler, StepName, StepResult, View } from './step.ts';
import type { Client, Policy } from '../tenant/client-and-policy.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Step, Transaction } from '../tenant/transactions.ts';

const handlers: { [Name in StepName]: StepHandler<Name> } = {
  'select-account': selectAccount,
  'sign-in': signIn,
  'check-hint': checkHint,
  'sign-up': signUp,
  'reset-email': resetEmail,
  'reset-code': resetCode,
  'reset-password': resetPassword,
  'edit-profile': editProfile,
};

function getHandler<Name extends StepName>(step: Step & { name: Name }): StepHandler<StepName> {
  // TypeScript cannot express that each step name selects the handler of that step.
  return handlers[step.name] as unknown as StepHandler<StepName>;
}

/**
 * Starts a transaction and redirects to its page, so that reload and Back do not repeat the authorize
 * request.
 */
export function sendToInteraction(
  reply: FastifyReply,
  tenant: Tenant,
  start: Pick<Transaction, 'policy' | 'client' | 'request' | 'step'>,
): FastifyReply {
  const { transaction, cookie } = tenant.transactions.begin(start);
  const address = new URL(buildInteractionUrl(tenant, transaction));
  return reply
    .header('set-cookie', writeCookie(transactionCookie, cookie, tenant.secure, address.pathname))
    .redirect(address.href, 303);
}

/** With the client id, an expired page can still link to the application. */
function buildInteractionUrl(tenant: Tenant, { id, policy, client }: Transaction): string {
  return `${tenant.addressOf(policy)}/interaction/${id}?client_id=${encodeURIComponent(client.clientId)}`;
}

/** GET: renders the current step. */
export const showInteraction: PolicyEndpoint = async (request, reply, tenant, policy) => {
  const transaction = findTransaction(request, tenant, policy);
  if (!transaction) return sendStalePage(request, reply, tenant);
  if (transaction.finished) return sendFinishedPage(reply, tenant, transaction);
  return showStep(reply, createContext(request, tenant, transaction), {});
};

/** POST: handles the form of the current step. */
export const submitInteraction: PolicyEndpoint = async (request, reply, tenant, policy) => {
  const transaction = findTransaction(request, tenant, policy);
  const body = request.body;
  if (!transaction || !(body instanceof URLSearchParams)) return sendStalePage(request, reply, tenant);
  if (!equalsInConstantTime(body.get('csrf_token') ?? '', transaction.csrfToken))
    return sendStalePage(request, reply, tenant);

  const work = transaction.queue.then(() => submitQueued(request, reply, tenant, transaction, body));
  transaction.queue = work.catch(() => {});
  return work;
};

async function submitQueued(
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: Tenant,
  transaction: Transaction,
  body: URLSearchParams,
): Promise<FastifyReply> {
  if (transaction.finished) return sendFinalResponse(reply, tenant, transaction);
  // A form of an earlier step (another tab, or Back): show the current step.
  if (body.get('step') !== transaction.step.name) {
    return reply.redirect(buildInteractionUrl(tenant, transaction), 303);
  }
  const context = createContext(request, tenant, transaction);
  try {
    const submitted = readForm(body);
    if (submitted.action === 'cancel') throw new B2cError('AADB2C90091', 'access_denied');
    const result = await getHandler(transaction.step).submit(context, transaction.step, submitted);
    return applyResult(request, reply, context, result);
  } catch (error) {
    if (!(error instanceof B2cError)) throw error;
    tenant.log(`${transaction.policy.name}: ${error.code}, correlation id ${error.correlationId}`);
    transaction.finished = {
      response: errorResponse(transaction.request, error, tenant.now()),
      code: undefined,
      sessionCookie: undefined,
    };
    return sendFinalResponse(reply, tenant, transaction);
  }
}

function applyResult(
  request: FastifyRequest,
  reply: FastifyReply,
  context: StepContext,
  result: StepResult,
): FastifyReply {
  const { tenant, transaction } = context;
  if ('showAgain' in result) return showStep(reply, context, result.showAgain);
  if ('next' in result) {
    transaction.step = result.next;
    if (result.notice !== undefined) return showStep(reply, context, { notice: result.notice });
    return reply.redirect(buildInteractionUrl(tenant, transaction), 303);
  }

  const oldCookie = readCookie(request, sessionCookie);
  let session: Session;
  let cookie: string | undefined;
  if ('session' in result) {
    session = result.session;
    if (oldCookie) tenant.sessions.extend(oldCookie, session.account.id);
  } else {
    const started = tenant.sessions.start(oldCookie, result.signedIn.id);
    session = { account: result.signedIn, authTime: started.authTime };
    cookie = started.cookie;
  }

  const isProfileNext =
    transaction.policy.kind === 'edit-profile' && transaction.step.name !== 'edit-profile';
  if (isProfileNext) {
    transaction.step = { name: 'edit-profile', accountId: session.account.id, authTime: session.authTime };
    if (cookie) reply.header('set-cookie', writeCookie(sessionCookie, cookie, tenant.secure));
    return reply.redirect(buildInteractionUrl(tenant, transaction), 303);
  }
  const newUser = 'signedIn' in result && result.newUser === true;
  const code = issueCode(tenant, transaction, session, newUser);
  transaction.finished = { response: codeResponse(transaction.request, code), code, sessionCookie: cookie };
  return sendFinalResponse(reply, tenant, transaction);
}

export function issueCode(
  tenant: Tenant,
  { policy, client, request }: { policy: Policy; client: Client; request: AuthorizationRequest },
  session: Session,
  newUser: boolean,
): string {
  return tenant.grants.issueCode(
    {
      accountId: session.account.id,
      clientId: client.clientId,
      policy: policy.path,
      scope: request.scopes.join(' '),
      authTime: session.authTime,
      newUser,
    },
    { redirectUri: request.redirectUri, codeChallenge: request.codeChallenge, nonce: request.nonce },
  );
}

/**
 * Sends the transaction's final response. A double click receives it twice, unless its code was already
 * redeemed.
 */
function sendFinalResponse(reply: FastifyReply, tenant: Tenant, transaction: Transaction): FastifyReply {
  const { response, code, sessionCookie: cookie } = transaction.finished!;
  if (code !== undefined && tenant.grants.findCode(code)?.used !== false) {
    return sendFinishedPage(reply, tenant, transaction);
  }
  if (cookie !== undefined) reply.header('set-cookie', writeCookie(sessionCookie, cookie, tenant.secure));
  return sendResponse(reply, tenant, response, transaction.request.language);
}

function showStep(reply: FastifyReply, context: StepContext, view: View): FastifyReply {
  const { tenant, transaction } = context;
  const { content, ...page } = getHandler(transaction.step).page(context, transaction.step, view);
  const hasError = view.problems !== undefined || view.error !== undefined || view.accountExists === true;
  return sendPage(
    reply,
    tenant,
    {
      status: view.status,
      ...page,
      documentTitle: hasError ? `${context.texts.errorPrefix}${page.title}` : page.title,
      body: form(transaction.csrfToken, transaction.step.name, content),
    },
    transaction.request.language,
    transaction.request.redirectUri,
  );
}

function findTransaction(request: FastifyRequest, tenant: Tenant, policy: Policy): Transaction | undefined {
  const { id } = request.params as { id: string };
  return tenant.transactions.find(id, policy, readCookie(request, transactionCookie));
}

function createContext(request: FastifyRequest, tenant: Tenant, transaction: Transaction): StepContext {
  return {
    tenant,
    transaction,
    texts: pageTexts[transaction.request.language],
    sessions: tenant.sessions.list(readCookie(request, sessionCookie)),
  };
}

function sendStalePage(request: FastifyRequest, reply: FastifyReply, tenant: Tenant): FastifyReply {
  const search = new URL(request.url, 'http://localhost').searchParams;
  const client = tenant.clients.get(search.get('client_id') ?? '');
  const texts = pageTexts.en;
  return sendMessagePage(
    reply,
    tenant,
    'en',
    {
      title: texts.staleTitle,
      advice: texts.stale,
      detail: new B2cError('AADB2C90046', 'invalid_request').message,
      status: 400,
    },
    getApplicationUrl(client?.redirectUris[0]),
  );
}

function sendFinishedPage(reply: FastifyReply, tenant: Tenant, { request }: Transaction): FastifyReply {
  const { language, redirectUri } = request;
  const { finishedTitle: title, finished: advice } = pageTexts[language];
  return sendMessagePage(reply, tenant, language, { title, advice }, getApplicationUrl(redirectUri));
}

function equalsInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
