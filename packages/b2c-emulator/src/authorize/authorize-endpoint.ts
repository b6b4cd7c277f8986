import { codeResponse, errorResponse } from './authorization-response.ts';
import { chooseFirstStep, checkRequest, newDraft } from './authorize.ts';
import { B2cError } from '../b2c-error.ts';
import { readCookie, sessionCookie } from '../cookies.ts';
import type { PolicyEndpoint } from '../endpoint.ts';
import { issueCode, sendToInteraction } from '../steps/interaction.ts';
import { getApplicationUrl } from '../pages/pages.ts';
import { sendErrorPage, sendResponse } from '../pages/send-page.ts';
import { readParameters, readSearchParameters } from '../request-parameters.ts';

/**
 * Handles an authorize request (OpenID Connect Core section 3.1.2), GET or POST. Renders an error page
 * instead of redirecting until the redirect URI is validated, and for a missing hint, as B2C's invitation
 * sample does.
 */
export const authorize: PolicyEndpoint = async (request, reply, tenant, policy) => {
  const draft = newDraft();
  try {
    const checked = checkRequest(draft, readParameters(readSearchParameters(request)), tenant);
    const cookie = readCookie(request, sessionCookie);
    const firstStep = await chooseFirstStep(tenant, policy, checked.request, tenant.sessions.list(cookie));
    if ('step' in firstStep)
      return sendToInteraction(reply, tenant, { ...checked, policy, step: firstStep.step });

    if (cookie) tenant.sessions.extend(cookie, firstStep.session.account.id);
    const code = issueCode(tenant, { ...checked, policy }, firstStep.session, false);
    return sendResponse(reply, tenant, codeResponse(checked.request, code), draft.language);
  } catch (error) {
    if (!(error instanceof B2cError)) throw error;
    tenant.log(`${policy.name}: ${error.code}, correlation id ${error.correlationId}`);
    const { redirectUri, responseMode, state, language } = draft;
    if (redirectUri === undefined || error.code === 'AADB2C90272') {
      const applicationUrl = getApplicationUrl(redirectUri ?? draft.client?.redirectUris[0]);
      return sendErrorPage(reply, tenant, language, error, applicationUrl);
    }
    return sendResponse(
      reply,
      tenant,
      errorResponse({ redirectUri, responseMode, state }, error, tenant.now()),
      language,
    );
  }
};
