/**
 * The pages between an authorize request and its response: renders the current step of a transaction, handles
 * its form and finishes the transaction. The steps are in the other files of this folder.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorParameters, issueCode, sendResponse } from '../authorize/response.ts';
import { B2cError } from '../b2c-error.ts';
import type { Policy } from '../emulator-config.ts';
import { getApplicationUrl, html, sendMessage, sendPage } from '../pages/pages.ts';
import { readCookie, sessionCookie, setCookie, transactionCookie, type PolicyEndpoint } from '../requests.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Start, Step, Transaction } from '../tenant/transactions.ts';
import { resetCode, resetEmail, resetPassword } from './reset-password.ts';
import { selectAccount, signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import {
  banner,
  type GetField,
  type StepContext,
  type StepHandler,
  type StepResult,
  type View,
} from './step.ts';

const handlers: { [Name in Step['name']]: StepHandler<Name> } = {
  'select-account': selectAccount,
  'sign-in': signIn,
  'sign-up': signUp,
  'reset-email': resetEmail,
  'reset-code': resetCode,
  'reset-password': resetPassword,
};

function getHandler({ name }: Step): StepHandler<Step['name']> {
  // TypeScript cannot express that each step name selects the handler of that step.
  return handlers[name] as StepHandler<Step['name']>;
}

/** Starts a transaction and redirects to its page, so that reload and Back do not repeat the authorize request. */
export function sendToInteraction(reply: FastifyReply, tenant: Tenant, start: Start): FastifyReply {
  const { transaction, cookie } = tenant.transactions.start(start);
  const url = buildInteractionUrl(tenant, transaction);
  setCookie(reply, tenant, transactionCookie, cookie, new URL(url).pathname);
  return reply.redirect(url, 303);
}

/** With the client ID, an expired page can still link to the application. */
function buildInteractionUrl(tenant: Tenant, { id, policy, client }: Transaction): string {
  return `${tenant.addressOf(policy)}/interaction/${id}?client_id=${encodeURIComponent(client.clientId)}`;
}

/** GET: renders the current step. */
export const showInteraction: PolicyEndpoint = (request, reply, tenant, policy) => {
  const transaction = findTransaction(request, tenant, policy);
  if (!transaction) return sendStalePage(request, reply, tenant);
  if (transaction.finished) return sendFinishedPage(reply, tenant, transaction);
  return showStep(reply, createContext(request, tenant, transaction), {});
};

/** POST: handles the form of the current step. */
export const submitInteraction: PolicyEndpoint = async (request, reply, tenant, policy) => {
  const transaction = findTransaction(request, tenant, policy);
  const { body } = request;
  if (!transaction || !(body instanceof URLSearchParams)) return sendStalePage(request, reply, tenant);
  if (body.get('csrf_token') !== transaction.csrfToken) return sendStalePage(request, reply, tenant);

  const get = (name: string) => (body.get(name) ?? '').slice(0, 1_000);
  const work = transaction.queue.then(() => submitQueued(request, reply, tenant, transaction, get));
  transaction.queue = work.catch(() => {});
  return work;
};

async function submitQueued(
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: Tenant,
  transaction: Transaction,
  get: GetField,
): Promise<FastifyReply> {
  if (transaction.finished) return sendFinalResponse(reply, tenant, transaction);
  // A form of an earlier step (another tab, or Back): show the current step.
  if (get('step') !== transaction.step.name)
    return reply.redirect(buildInteractionUrl(tenant, transaction), 303);
  const context = createContext(request, tenant, transaction);
  try {
    if (get('action') === 'cancel') throw new B2cError('AADB2C90091', 'access_denied');
    const result = await getHandler(transaction.step).submit(context, transaction.step, get);
    return applyResult(request, reply, context, result);
  } catch (error) {
    if (!(error instanceof B2cError)) throw error;
    tenant.log(`${transaction.policy.name}: ${error.code}, correlation id ${error.correlationId}`);
    transaction.finished = { response: errorParameters(error, tenant) };
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
  let code: string;
  let newCookie: string | undefined;
  if ('session' in result) {
    if (oldCookie) tenant.sessions.extend(oldCookie, result.session.account.id);
    code = issueCode(tenant, transaction, result.session, false);
  } else {
    const { signedIn: account, newUser = false } = result;
    const { cookie, authTime } = tenant.sessions.start(oldCookie, account.id);
    newCookie = cookie;
    code = issueCode(tenant, transaction, { account, authTime }, newUser);
  }
  transaction.finished = { response: { code }, code, sessionCookie: newCookie };
  return sendFinalResponse(reply, tenant, transaction);
}

/** A double click receives the response twice, unless its code was already redeemed. */
function sendFinalResponse(reply: FastifyReply, tenant: Tenant, transaction: Transaction): FastifyReply {
  const { response, code, sessionCookie: cookie } = transaction.finished!;
  if (code !== undefined && tenant.grants.findByCode(code)?.code.isUsed !== false) {
    return sendFinishedPage(reply, tenant, transaction);
  }
  if (cookie !== undefined) setCookie(reply, tenant, sessionCookie, cookie);
  return sendResponse(reply, transaction.request, response);
}

function showStep(reply: FastifyReply, context: StepContext, view: View): FastifyReply {
  const { tenant, transaction } = context;
  const { step, request, csrfToken } = transaction;
  const { title, lead, formId, content, actions } = getHandler(step).page(context, step, view);
  const body = html`<form method="post" novalidate ${formId && html`id="${formId}"`}>
    <input type="hidden" name="csrf_token" value="${csrfToken}" />
    <input type="hidden" name="step" value="${step.name}" />
    ${banner(view)} ${content}
    <div class="actions">${actions}</div>
  </form>`;
  const isError = view.problems !== undefined || view.error !== undefined;
  return sendPage(reply, tenant, {
    title,
    lead,
    body,
    isError,
    status: view.status,
    formTarget: request.redirectUri,
  });
}

function findTransaction(request: FastifyRequest, tenant: Tenant, policy: Policy): Transaction | undefined {
  const { id } = request.params as { id: string };
  return tenant.transactions.find(id, policy, readCookie(request, transactionCookie));
}

function createContext(request: FastifyRequest, tenant: Tenant, transaction: Transaction): StepContext {
  return { tenant, transaction, sessions: tenant.sessions.list(readCookie(request, sessionCookie)) };
}

function sendStalePage(request: FastifyRequest, reply: FastifyReply, tenant: Tenant): FastifyReply {
  const { client_id: clientId = '' } = request.query as { client_id?: string };
  return sendMessage(reply, tenant, {
    title: 'This page is out of date',
    lead: 'It was open for too long, or it was opened in another browser. Go back to the application and start again.',
    detail: new B2cError('AADB2C90046', 'invalid_request').message,
    status: 400,
    applicationUrl: getApplicationUrl(tenant.clients.get(clientId)?.redirectUris[0]),
  });
}

function sendFinishedPage(reply: FastifyReply, tenant: Tenant, { request }: Transaction): FastifyReply {
  return sendMessage(reply, tenant, {
    title: 'This step is finished',
    lead: 'There is nothing left to do on this page. Continue in the application.',
    applicationUrl: getApplicationUrl(request.redirectUri),
  });
}
