import { sendMessage } from './pages/pages.ts';
import { readCookie, searchOf, sessionCookie, setCookie, type PolicyEndpoint } from './requests.ts';
import type { Tenant } from './tenant/tenant.ts';

/**
 * Ends the browser's session (OpenID Connect RP-Initiated Logout). Redirects to registered addresses only;
 * otherwise shows a page.
 */
export const logout: PolicyEndpoint = (request, reply, tenant) => {
  const search = searchOf(request);
  const cookie = readCookie(request, sessionCookie);
  if (cookie) tenant.sessions.end(cookie);
  setCookie(reply, tenant, sessionCookie, '');

  const target = search.get('post_logout_redirect_uri');
  if (target && isRegistered(tenant, target, search.get('client_id'))) {
    const state = search.get('state');
    const address = new URL(target);
    if (state) address.searchParams.set('state', state.slice(0, 8192));
    return reply.redirect(state ? address.href : target, 303);
  }
  const lead = 'You can close this window, or go back to the application.';
  return sendMessage(reply, tenant, { title: 'You are signed out', lead });
};

/** Origin and path must equal those of a registered address. The query is not compared. */
function isRegistered(tenant: Tenant, target: string, clientId: string | null): boolean {
  if (!URL.canParse(target) || /[\s\\\p{C}]/u.test(target)) return false;
  const wanted = new URL(target);
  if (wanted.username !== '' || wanted.password !== '') return false;
  return tenant.clients
    .values()
    .filter((client) => clientId === null || client.clientId === clientId)
    .flatMap(({ postLogoutRedirectUris }) => postLogoutRedirectUris)
    .some((registered) => {
      const allowed = new URL(registered);
      if (allowed.origin === 'null') return registered === target;
      return allowed.origin === wanted.origin && allowed.pathname === wanted.pathname;
    });
}
