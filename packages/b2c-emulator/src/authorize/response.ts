/** The response to an authorize request. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { B2cError } from '../b2c-error.ts';
import { getSource, Html, html } from '../pages/pages.ts';
import type { Session } from '../tenant/sessions.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { ResponseParameters, ResponseTarget, Start } from '../tenant/transactions.ts';

export function issueCode(
  tenant: Tenant,
  { policy, client, request }: Omit<Start, 'step'>,
  { account, authTime }: Session,
  newUser: boolean,
): string {
  const { clientId } = client;
  const { scopes, redirectUri, codeChallenge, nonce } = request;
  return tenant.grants.issueCode(
    { accountId: account.id, clientId, policy: policy.path, scopes, authTime, newUser },
    { redirectUri, codeChallenge, nonce },
  );
}

export function errorParameters(error: B2cError, tenant: Tenant): ResponseParameters {
  return { error: error.oauthError, error_description: error.describe(tenant.now()) };
}

const submitScript = 'document.forms[0].submit()';
const submitScriptHash = createHash('sha256').update(submitScript).digest('base64');

/** Redirects to the application, or posts to it with a form. These responses also load in hidden frames. */
export function sendResponse(
  reply: FastifyReply,
  { redirectUri, responseMode, state }: ResponseTarget,
  response: ResponseParameters,
): FastifyReply {
  const parameters = { ...(state !== undefined && { state }), ...response };
  if (responseMode !== 'form_post') {
    const separator = responseMode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
    return reply.redirect(`${redirectUri}${separator}${new URLSearchParams(parameters).toString()}`, 303);
  }
  const inputs = Object.entries(parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'sha256-${submitScriptHash}'; form-action ${getSource(redirectUri)}`,
    })
    .send(
      html`<!doctype html>
        <html lang="en">
          <title>Continue to the application</title>
          <form method="post" action="${redirectUri}">
            ${inputs}<button>Continue to the application</button>
          </form>
          ${new Html(`<script>${submitScript}</script>`)}
        </html>`.text,
    );
}
