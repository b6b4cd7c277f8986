/** Begins sign-ins, and tells what became of those that did not end in a session. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  getSignInOutcome,
  signInProblems,
  signInStartErrors,
  startSignIn,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import { createMessage } from '@vestibule/contract/texts/text';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import type { Codes } from '../email-codes/email-codes.ts';
import { startPage } from './return-url.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function startRoutes(
  deps: SignInContext & {
    codes: Codes;
    /** The way of an address's domain, as the settings say; null where they say nothing. */
    wayOfDomain: (domain: string) => Promise<string | null>;
  },
): Implementation[] {
  const { signInMethods, transactions, departures } = deps;

  return [
    implement(startSignIn, async ({ body, origin, cookies, log }) => {
      await departures.count(origin);
      const way = await chooseWay(body.way, body.address);
      if (!way) throw fail(signInStartErrors.wayUnknown);
      const client = deps.clients.get(way.id);
      if (!client) return { way, url: null };
      const invitation =
        body.invitation === undefined ? null : await deps.findPendingInvitation(body.invitation, origin);
      const by = { cookies, origin, log };
      const { url } = await departures.leave(
        client,
        { returnTo: body.returnTo, invitationId: invitation?.id ?? null },
        {
          loginHint: invitation?.email ?? body.address,
          language: body.language,
          prompt: body.chooseAccount ? 'select_account' : invitation ? 'create' : undefined,
        },
        by,
      );
      return { way, url };
    }),

    implement(getSignInOutcome, async ({ query, cookies }): Promise<SignInOutcome> => {
      const found = await transactions.find(query.attempt, cookies);
      const way = signInMethods.find(({ id }) => id === found?.way);
      if (!found?.outcome || !way) return expired(way ?? null, found?.return_to);
      if (found.outcome.kind === 'problem')
        return { ...found.outcome, way, purpose: found.purpose, returnTo: found.return_to };
      if (found.outcome.kind === 'proven') return { kind: 'proven' };
      const waits = found.outcome.kind === 'proof' ? await deps.codes.describe(found, way) : null;
      return waits ?? expired(way, found.return_to);
    }),
  ];

  async function chooseWay(
    id: string | undefined,
    address: string | undefined,
  ): Promise<SignInMethod | null> {
    const only = signInMethods.length === 1 ? signInMethods[0] : undefined;
    const canonical = address === undefined ? null : canonicalEmail(address);
    const wanted = id ?? (canonical && (await deps.wayOfDomain(domainOf(canonical)))) ?? only?.id;
    return signInMethods.find((way) => way.id === wanted) ?? null;
  }
}

const expired = (way: SignInMethod | null, returnTo = startPage): SignInOutcome => ({
  kind: 'problem',
  ...createMessage(signInProblems.expired),
  way,
  purpose: 'sign-in',
  returnTo,
  canRetry: true,
});
