import { readCookie, sessionCookie, writeCookie } from './cookies.ts';
import type { PolicyEndpoint } from './endpoint.ts';
import { chooseLanguage, pageTexts } from './pages/page-texts.ts';
import { sendMessagePage } from './pages/send-page.ts';
import { readSearchParameters } from './request-parameters.ts';
import type { Tenant } from './tenant/tenant.ts';

/**
 * Ends the browser's session (OpenID Connect RP-Initiated Logout). Redirects to registered addresses only;
 * otherwise shows a page.
 */
export const logout: PolicyEndpoint = async (request, reply, tenant) => {
  const search = readSearchParameters(request);
  const cookie = readCookie(request, sessionCookie);
  if (cookie) tenant.sessions.end(cookie);
  reply.header('set-cookie', writeCookie(sessionCookie, undefined, tenant.secure));

  const target = search.get('post_logout_redirect_uri');
  if (target && isRegistered(tenant, target, search.get('client_id'))) {
    const state = search.get('state');
    return reply.redirect(state ? withState(target, state.slice(0, 8192)) : target, 303);
  }
  const language = chooseLanguage(search.get('ui_locales') ?? undefined);
  const texts = pageTexts[language];
  return sendMessagePage(reply, tenant, language, { title: texts.signedOutTitle, advice: texts.signedOut });
};

/** Origin and path must equal those of a registered address. The query is not compared. */
function isRegistered(tenant: Tenant, target: string, clientId: string | null): boolean {
  if (!URL.canParse(target) || /[\s\\\p{C}]/u.test(target)) return false;
  const wanted = new URL(target);
  if (wanted.username !== '' || wanted.password !== '') return false;
  const clients = [...tenant.clients.values()].filter(
    (client) => clientId === null || client.clientId === clientId,
  );
  return clients
    .flatMap(({ postLogoutRedirectUris }) => postLogoutRedirectUris)
    .some((registered) => {
      const allowed = new URL(registered);
      if (allowed.origin === 'null') return registered === target;
      return allowed.origin === wanted.origin && allowed.pathname === wanted.pathname;
    });
}

function withState(target: string, state: string): string {
  const address = new URL(target);
  address.searchParams.set('state', state);
  return address.href;
}
