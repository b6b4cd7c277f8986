import type { FastifyReply } from 'fastify';
import { buildResponseUrl } from '../authorize/authorization-response.ts';
import type { AuthorizationResponse } from '../authorize/authorization-response.ts';
import type { B2cError } from '../b2c-error.ts';
import { formPostPage, messagePage, pageHeaders, renderDocument } from './pages.ts';
import type { Page } from './pages.ts';
import { pageTexts } from './page-texts.ts';
import type { Language } from './page-texts.ts';
import type { Tenant } from '../tenant/tenant.ts';

/** `formTarget` is the URL that the form may redirect to (see pageHeaders). */
export function sendPage(
  reply: FastifyReply,
  tenant: Tenant,
  page: Page,
  language: Language,
  formTarget?: string,
): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .headers(pageHeaders(tenant.brand, formTarget))
    .send(renderDocument(page, language, tenant.brand));
}

export function sendMessagePage(
  reply: FastifyReply,
  tenant: Tenant,
  language: Language,
  message: Parameters<typeof messagePage>[1],
  applicationAddress?: string,
): FastifyReply {
  return sendPage(reply, tenant, messagePage(language, message, applicationAddress), language);
}

/** Sends an error page for requests without a valid redirect URI. */
export function sendErrorPage(
  reply: FastifyReply,
  tenant: Tenant,
  language: Language,
  error: B2cError,
  applicationAddress?: string,
): FastifyReply {
  const texts = pageTexts[language];
  const isHintMissing = error.code === 'AADB2C90272';
  return sendMessagePage(
    reply,
    tenant,
    language,
    {
      title: isHintMissing ? texts.invitationNeededTitle : texts.requestErrorTitle,
      advice: isHintMissing ? texts.invitationNeeded : texts.requestErrorAdvice,
      detail: error.describe(tenant.now()).trim(),
      status: 400,
    },
    applicationAddress,
  );
}

/**
 * Sends the response to the application. These responses also load in hidden frames, so they set no framing
 * headers.
 */
export function sendResponse(
  reply: FastifyReply,
  tenant: Tenant,
  response: AuthorizationResponse,
  language: Language,
): FastifyReply {
  if (response.responseMode === 'form_post') {
    return reply
      .headers(pageHeaders(tenant.brand, response.redirectUri, 'any'))
      .send(renderDocument(formPostPage(language, response), language, tenant.brand));
  }
  return reply.redirect(buildResponseUrl(response), 303);
}
