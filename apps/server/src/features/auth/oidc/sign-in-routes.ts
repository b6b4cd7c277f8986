/** Routes that start a sign-in and report its outcome. */
import { isConnectionMethod } from '../../../platform/config/sign-in-methods.ts';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  getSignInOutcome,
  signInProblems,
  signInStartErrors,
  startSignIn,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import type { RouteBody } from '@vestibule/contract/route';
import { createMessage } from '@vestibule/contract/texts/text';
import { required } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import type { EmailCodes } from '../email-codes/email-codes.ts';
import { findConnectionOfDomain, isActiveMethod } from '../connections/connection-store.ts';
import { safeReturnUrl, startPage } from './start-authorization.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function signInRoutes(deps: SignInContext & { codes: EmailCodes }): Implementation[] {
  const { signInMethods, authorizationRequests, authorization } = deps;

  return [
    implement(startSignIn, async ({ body, headers, origin, cookies, log }) => {
      await authorization.countStart(origin);
      const method = required(await chooseMethod(body.way, body.address), signInStartErrors.wayUnknown);
      const client = await deps.findClient(method.id);
      if (!client) return { way: method, url: null };
      if (headers.origin !== undefined && headers.origin !== deps.publicUrl)
        return { way: method, url: pageAtPublicUrl(body) };
      const invitation =
        body.invitation === undefined ? null : await deps.findPendingInvitation(body.invitation, origin);
      const { url } = await authorization.start(
        client,
        { returnTo: body.returnTo, invitationId: invitation?.id ?? null },
        {
          loginHint: invitation?.email ?? body.address,
          language: body.language,
          prompt: body.chooseAccount ? 'select_account' : invitation ? 'create' : undefined,
        },
        { cookies, origin, log },
      );
      return { way: method, url };
    }),

    implement(getSignInOutcome, async ({ query, cookies }): Promise<SignInOutcome> => {
      const request = await authorizationRequests.find(query.attempt, cookies);
      const method = request && (await deps.findMethod(request.way));
      if (!request?.outcome || !method) return expired(method, request?.return_to);
      if (request.outcome.kind === 'problem')
        return { ...request.outcome, way: method, purpose: request.purpose, returnTo: request.return_to };
      if (request.outcome.kind === 'proven') return { kind: 'proven' };
      const verification =
        request.outcome.kind === 'proof' ? await deps.codes.describe(request, method) : null;
      return verification ?? expired(method, request.return_to);
    }),
  ];

  /**
   * Returns where to sign in for pages opened at another address of this site, such as with or without `www.` or by http.
   * The provider returns the browser to `publicUrl`, without the cookies of another address.
   */
  function pageAtPublicUrl({ invitation, returnTo }: RouteBody<typeof startSignIn>): string {
    const page =
      invitation === undefined ? safeReturnUrl(returnTo, deps.publicUrl) : `/signup?i=${invitation}`;
    return deps.publicUrl + page;
  }

  async function chooseMethod(
    id: string | undefined,
    address: string | undefined,
  ): Promise<SignInMethod | null> {
    const only = signInMethods.length === 1 ? signInMethods[0] : undefined;
    const canonical = address === undefined ? null : canonicalEmail(address);
    const domain = id === undefined && canonical !== null ? domainOf(canonical) : null;
    const ofDomain = domain && ((await deps.ruleOf(domain))?.way ?? (await methodOfConnection(domain)));
    const chosen = id ?? ofDomain ?? only?.id;
    if (chosen === undefined) return null;
    const isActive = !isConnectionMethod(chosen) || (await isActiveMethod(deps.database, chosen));
    return isActive ? deps.findMethod(chosen) : null;
  }

  async function methodOfConnection(domain: string): Promise<string | null> {
    return (await findConnectionOfDomain(deps.database, domain, new Date(deps.now())))?.way ?? null;
  }
}

const expired = (method: SignInMethod | null, returnTo = startPage): SignInOutcome => ({
  kind: 'problem',
  ...createMessage(signInProblems.expired),
  way: method,
  purpose: 'sign-in',
  returnTo,
  canRetry: true,
});
