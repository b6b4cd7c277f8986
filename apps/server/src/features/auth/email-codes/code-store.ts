/** Sign-in by mailed code. Requests have the same effects and duration for every address; the mail template decides whether to send. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { personErrors } from '@vestibule/contract/people';
import type { Role } from '@vestibule/contract/rules/role';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { requestCode, codesPerHour } from '@vestibule/contract/sign-in/codes';
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { createRateLimit, perHour, type RateLimitOptions } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import {
  findInvitation,
  findLatestInvitations,
  isMember,
  isOpen,
  type InvitationRow,
} from '../../invitations/invitation-store.ts';
import { writeSignInCodeMail } from '../../mail/templates/sign-in-mails.ts';
import { findLanguage, isSignedOutSince } from '../../people/people-store.ts';
import { describeAgent } from '../../../platform/http/describe-agent.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { safeReturnUrl } from '../oidc/return-url.ts';
import {
  insertRequests,
  type PreparedRequest,
  type NewAuthorizationRequest,
  type AuthorizationRequest,
} from '../oidc/authorization-requests/request-row.ts';
import { newRequestHash } from '../oidc/authorization-requests/request-store.ts';
import { needsPasskey } from '../passkeys/passkey-rules.ts';
import { createPasskeySession } from '../passkeys/passkey-session.ts';
import { findPasskeyUsers, passkeyIdentity, type PasskeyUser } from '../passkeys/passkey-store.ts';
import { offerAnotherPasskey } from '../passkeys/passkey-prompt-cookie.ts';
import { signInOf } from '../sessions/sessions.ts';
import { mailIntervalMs, queueCodeMails, type CodePurpose } from './email-codes.ts';
import type { SignInContext } from '../sign-in-context.ts';

/**
 * Limit of wrong guesses per address. Nine guesses a day at a code of six digits succeed with a probability below 1 in
 * 100,000.
 */
export const guessedCodesLimit: RateLimitOptions = {
  name: 'guessed codes',
  maximum: 9,
  windowSeconds: 86_400,
  isNotCached: true,
};

type CodeRequest = {
  /** Address as typed by the user. */
  address: string;
  name: string | null;
  from: { address: string; userAgent: string };
};

type Deps = SignInContext & { rpId: string };

export type AddressCodes = ReturnType<typeof createAddressCodes>;

export function createAddressCodes(deps: Deps) {
  const { database, authorizationRequests, now } = deps;
  const networkLimit = createRateLimit(deps, perHour('codes of a network', codesPerHour.network));
  const addressLimit = createRateLimit(deps, perHour('codes of an address', codesPerHour.address));

  /** The addresses and networks must be distinct. */
  async function countMails(
    mails: { address: string; network: string }[],
    transaction: Queryable,
  ): Promise<void> {
    // A fixed order avoids deadlocks.
    const [networkWaits, addressWaits] = await Promise.all([
      networkLimit.takeEach(valuesOf(mails, 'network'), transaction),
      addressLimit.takeEach(valuesOf(mails, 'address'), transaction),
    ]);
    assertWithinRateLimit(Math.max(...networkWaits));
    assertWithinRateLimit(Math.max(...addressWaits), signInStartErrors.codesAsked);
  }

  const findUser = createBatchLoader((addresses: string[]) =>
    findPasskeyUsers(database, addresses, deps.rpId),
  );
  const findLatest = createBatchLoader((addresses: string[]) => findLatestInvitations(database, addresses));

  // Concurrent requests share a transaction with pipelined statements.
  const startBatch = createBatchLoader(
    (requests: { address: string; network: string; prepared: PreparedRequest }[]) => {
      const all = requests.map(({ prepared }) => prepared);
      return database.transaction((transaction) =>
        Promise.all([
          countMails(requests, transaction),
          insertRequests(transaction, all),
          queueCodeMails(deps.mail, transaction, valuesOf(all, 'hash')),
        ]).then(() => all),
      );
    },
    2,
    ({ address, network }) => [`address ${address}`, `network ${network}`],
  );

  async function sendCode(
    request: Omit<NewAuthorizationRequest, 'way'> & { address: string; name: string | null },
    { cookies, origin }: { cookies: Cookies; origin: Origin },
  ): Promise<{ attempt: string; resendInSeconds: number }> {
    const address = canonicalEmail(request.address);
    if (address === null) throw fail(signInStartErrors.notAnAddress);
    const from = { address: origin.address, userAgent: cutText(origin.userAgent ?? '', 300) };
    const details: CodeRequest = { address: request.address.trim(), name: request.name, from };
    const encrypted = deps.sessions.tokenEncryption.encrypt(JSON.stringify(details));
    const pending = { way: passkeyMethod, outcome: { kind: 'proof' as const }, sealed: encrypted, address };
    const { prepared, setCookie } = await authorizationRequests.prepare(
      newRequestHash(),
      { ...request, ...pending },
      cookies,
    );
    await startBatch({ address, network: networkOf(origin.address), prepared });
    setCookie();
    return { attempt: prepared.hash.toString('base64url'), resendInSeconds: mailIntervalMs / 1000 };
  }

  const codeRequestOf = ({ sealed }: AuthorizationRequest) =>
    JSON.parse(deps.sessions.tokenEncryption.decrypt(sealed as Buffer)) as CodeRequest;

  /**
   * Returns the invitation that the request names if it is open and to this address, otherwise the latest open
   * invitation to the address.
   */
  async function invitationOf(
    transaction: AuthorizationRequest,
    address: string,
  ): Promise<InvitationRow | null> {
    const named =
      transaction.invitation_id === null ? null : await findInvitation(database, transaction.invitation_id);
    const found =
      named && isOpen(named, now()) && named.email_canonical === address ? named : await findLatest(address);
    return found && isOpen(found, now()) ? found : null;
  }

  return {
    sendCode,
    codeRequestOf,
    invitationOf,
    use: createCodeUse(deps, { countMails, codeRequestOf, invitationOf, findUser }),
    routes: (): Implementation[] => [
      implement(requestCode, async ({ body, cookies, origin }) => {
        const invitation =
          body.invitation === undefined ? null : await deps.findPendingInvitation(body.invitation, origin);
        const address = body.address ?? invitation?.email;
        if (address === undefined) throw fail(personErrors.invitationExpired);
        return sendCode(
          {
            address,
            name: body.name || null,
            invitationId: invitation?.id ?? null,
            returnTo: safeReturnUrl(body.returnTo, deps.publicUrl),
          },
          { cookies, origin },
        );
      }),
    ],
  };
}

type CodeHelpers = {
  countMails: (mails: { address: string; network: string }[], transaction: Queryable) => Promise<void>;
  codeRequestOf: (transaction: AuthorizationRequest) => CodeRequest;
  invitationOf: (transaction: AuthorizationRequest, address: string) => Promise<InvitationRow | null>;
  findUser: (address: string) => Promise<PasskeyUser | null>;
};

function createCodeUse(
  deps: Deps,
  { countMails, codeRequestOf, invitationOf, findUser }: CodeHelpers,
): CodePurpose {
  const { database, settings, authorizationRequests, now } = deps;
  const guesses = createRateLimit(deps, guessedCodesLimit);

  async function canAutoJoin(address: string): Promise<boolean> {
    return (await deps.canAutoJoin(passkeyMethod, address)) && !(await isMember(database, address));
  }

  return {
    addressOf: ({ address }) => Promise.resolve(address),
    countGuess: ({ address }) => guesses.take(address as string),
    forgetGuess: ({ address }) => guesses.refund(address as string),
    countMail: ({ address }, origin, transaction) =>
      countMails([{ address: address as string, network: networkOf(origin.address) }], transaction),

    async complete(transaction, browser) {
      const address = transaction.address as string;
      const returnTo = transaction.return_to;
      const user = await findUser(address);
      // Signing out everywhere invalidates the codes that were requested before.
      if (user && isSignedOutSince(user.person, transaction.created_at)) throw fail(signInProblems.expired);
      const invitation = user ? null : await invitationOf(transaction, address);
      const role: Role = user?.person.role ?? invitation?.role ?? 'member';
      if (await needsPasskey(settings, role)) {
        if (!(await authorizationRequests.storeVerified(transaction.state_hash, browser.cookies)))
          throw fail(signInProblems.expired);
        return { returnTo, next: 'passkey-required' };
      }
      if (!(await authorizationRequests.remove(transaction.state_hash, browser.cookies)))
        throw fail(signInProblems.expired);
      const session = { ...browser, id: deps.newId() };
      if (user) {
        await createPasskeySession(deps, user.person, { ...session, handle: user.handle });
        return { returnTo, next: user.hasPasskey ? offerAnotherPasskey(browser.cookies) : 'offer-passkey' };
      }
      const handle = authorizationRequests.handleOf(transaction.state_hash);
      const request = codeRequestOf(transaction);
      const person = await deps.provisionUser({
        ...passkeyIdentity(handle),
        way: passkeyMethod,
        address: request.address,
        isVerified: true,
        claimed: transaction.invitation_id,
        name: request.name,
        signIn: signInOf(session.id, new Date(now()), browser.origin),
        origin: browser.origin,
      });
      await createPasskeySession(deps, person, { ...session, handle });
      return { returnTo, next: 'offer-passkey' };
    },

    async write(transaction, code) {
      const address = transaction.address as string;
      const user = await findUser(address);
      const invitation = user ? null : await invitationOf(transaction, address);
      if (!user && !invitation && !(await canAutoJoin(address))) return null;
      const site = await settings.current();
      const request = codeRequestOf(transaction);
      const language =
        invitation?.language ?? (user && (await findLanguage(database, user.person.id))) ?? site.mailLanguage;
      const attempt = transaction.state_hash.toString('base64url');
      return writeSignInCodeMail(language, {
        to: {
          name: user?.person.display_name ?? invitation?.name ?? '',
          // Uses the stored spelling of the address if there is one, otherwise the typed one.
          address: user?.person.email ?? invitation?.email ?? request.address,
        },
        site: { ...site, publicUrl: deps.publicUrl },
        code,
        purpose: transaction.purpose,
        again: {
          from: { ...describeAgent(request.from.userAgent), address: request.from.address },
          // The fragment keeps the code out of server logs. The link works only in the browser that requested it.
          link: `${deps.publicUrl}/login?sign-in=code&attempt=${attempt}#${code}${authorizationRequests.linkKeyOf(transaction.state_hash, transaction.proof_mails)}`,
        },
      });
    },
  };
}
