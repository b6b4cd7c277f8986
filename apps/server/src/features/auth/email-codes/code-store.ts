/** Sign-in by mailed code. Requests have the same effects and duration for every address; the mail template decides whether to send. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { personErrors } from '@vestibule/contract/people';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Role } from '@vestibule/contract/rules/role';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { requestCode, codesPerHour } from '@vestibule/contract/sign-in/codes';
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { DatabaseDeps, Queryable } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import {
  findLatestInvitation,
  isMember,
  isOpen,
  type InvitationRow,
  findOpenInvitation,
} from '../../invitations/invitation-store.ts';
import { writeSignInCodeMail } from '../../mail/templates/sign-in-mails.ts';
import { findLanguage, isSignedOutSince, storeVerifiedAddress } from '../../people/people-store.ts';
import { describeAgent } from '../../../platform/http/describe-agent.ts';
import { safeReturnUrl } from '../oidc/start-authorization.ts';
import {
  storeVerified,
  type NewAuthorizationRequest,
  type AuthorizationRequest,
} from '../oidc/request-store.ts';
import {
  needsPasskey,
  createPasskeySession,
  signInNewPasskeyUser,
  offerAnotherPasskey,
} from '../passkeys/passkey-session.ts';
import { findPersonWithoutMethod } from '../identities/identity-store.ts';
import { passkeyIdentity, findPasskeyUser } from '../passkeys/passkey-store.ts';
import { requestedCodesLimit } from './code-limits.ts';
import {
  chosenMailLanguage,
  mailIntervalMs,
  queueCodeMail,
  requestedMailLanguage,
  type CodeHandler,
} from './email-codes.ts';
import type { SignInContext } from '../sign-in-context.ts';

type CodeRequest = {
  /** Address as typed by the user. */
  address: string;
  name: string | null;
  language: MailLanguage | null;
  from: { address: string; userAgent: string };
};

type Deps = SignInContext & { rpId: string };

export type AddressCodes = ReturnType<typeof createAddressCodes>;

export function createAddressCodes(deps: Deps) {
  const { database, authorizationRequests } = deps;
  const networkLimit = createRateLimit(deps, {
    ...perHour('codes of a network', codesPerHour.network),
    isNotCached: true,
  });
  const addressLimit = createRateLimit(deps, requestedCodesLimit);

  async function countMail(address: string, network: string, transaction: Queryable): Promise<void> {
    assertWithinRateLimit(await networkLimit.take(network, 1, transaction));
    assertWithinRateLimit(await addressLimit.take(address, 1, transaction), signInStartErrors.codesAsked);
  }

  const refundMail = (network: string) => networkLimit.refund(network);

  async function sendCode(
    request: Omit<NewAuthorizationRequest, 'way'> & { address: string; name: string | null },
    { cookies, origin }: { cookies: Cookies; origin: Origin },
  ): Promise<{ attempt: string; resendInSeconds: number }> {
    const address = canonicalEmail(request.address);
    if (address === null) throw fail(signInStartErrors.notAnAddress);
    const from = { address: origin.address, userAgent: cutText(origin.userAgent ?? '', 300) };
    const details: CodeRequest = {
      address: request.address.trim(),
      name: request.name,
      language: requestedMailLanguage({ cookies, origin }),
      from,
    };
    const encrypted = deps.sessions.tokenEncryption.encrypt(JSON.stringify(details));
    const pending = { way: passkeyMethod, outcome: { kind: 'proof' as const }, sealed: encrypted, address };
    const hash = await database.transaction(async (transaction) => {
      await countMail(address, networkOf(origin.address), transaction);
      const created = await authorizationRequests.createLocal(
        { ...request, ...pending },
        cookies,
        transaction,
      );
      await queueCodeMail(deps.mail, transaction, created);
      return created;
    });
    return { attempt: hash.toString('base64url'), resendInSeconds: mailIntervalMs / 1000 };
  }

  return {
    sendCode,
    handler: createCodeHandler(deps, countMail, refundMail),
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

/** Returns the request of a code, as the user sent it. */
export const codeRequestOf = ({ sessions }: Pick<Deps, 'sessions'>, { sealed }: AuthorizationRequest) =>
  JSON.parse(sessions.tokenEncryption.decrypt(sealed as Buffer)) as CodeRequest;

/** Returns the invitation that the request names if it is open and to this address, otherwise the latest open invitation to the address. */
export async function invitationOf(
  { database, now }: DatabaseDeps,
  request: AuthorizationRequest,
  address: string,
): Promise<InvitationRow | null> {
  const named = await findOpenInvitation(database, request.invitation_id, now());
  if (named?.email_canonical === address) return named;
  const latest = await findLatestInvitation(database, address);
  return latest && isOpen(latest, now()) ? latest : null;
}

function createCodeHandler(
  deps: Deps,
  countMail: (address: string, network: string, transaction: Queryable) => Promise<void>,
  refundMail: (network: string) => Promise<void>,
): CodeHandler {
  const { database, settings, authorizationRequests } = deps;

  const findUser = (address: string) => findPasskeyUser(database, address, deps.rpId);
  const { enabledMethods } = deps.identities;
  const findWithoutMethod = (address: string) =>
    findPersonWithoutMethod(database, address, { enabledMethods, at: new Date(deps.now()) });

  /** Adds codes as a sign-in method of a person whose other methods do not work (any more). */
  async function addCodes(address: string, requestedAt: Date, origin: Origin) {
    const person = await findWithoutMethod(address);
    if (!person) return null;
    await deps.identities.add(
      { personId: person.id, migrationId: null, requestedAt },
      {
        // Derived from the person, so that concurrent requests add one identity.
        ...passkeyIdentity(Buffer.from(person.id).toString('base64url')),
        way: passkeyMethod,
        wayName: '',
        email: person.email,
        isVerified: true,
      },
      origin,
    );
    return findUser(address);
  }

  const canAutoJoin = async (address: string): Promise<boolean> =>
    (await deps.canAutoJoin(passkeyMethod, address)) !== null &&
    !(await isMember(database, { emailCanonical: address, organizationId: null }));

  return {
    addressOf: ({ address }) => Promise.resolve(address),
    countMail: ({ address }, origin, transaction) =>
      countMail(address as string, networkOf(origin.address), transaction),

    async complete(request, browser) {
      const address = request.address as string;
      const returnTo = request.return_to;
      const codeRequest = codeRequestOf(deps, request);
      await refundMail(networkOf(codeRequest.from.address));
      const user = (await findUser(address)) ?? (await addCodes(address, request.created_at, browser.origin));
      // Signing out everywhere invalidates the codes that were requested before.
      if (user && isSignedOutSince(user.person, request.created_at)) throw fail(signInProblems.expired);
      const invitation = user ? null : await invitationOf(deps, request, address);
      const role: Role = user?.person.role ?? invitation?.role ?? 'member';
      // A request to join needs no passkey, because it creates no account.
      const asksToJoin =
        !user && !invitation && (await deps.canAutoJoin(passkeyMethod, address)) === 'request';
      if (!asksToJoin && (await needsPasskey(settings, role))) {
        await storeVerified(deps, request.state_hash, browser.cookies);
        return { returnTo, next: 'passkey-required' };
      }
      if (!(await authorizationRequests.remove(request.state_hash, browser.cookies)))
        throw fail(signInProblems.expired);
      if (user) {
        await createPasskeySession(deps, user.person, { ...browser, handle: user.handle });
        await storeVerifiedAddress(database, passkeyIdentity(user.handle), user.person.email);
        return { returnTo, next: user.hasPasskey ? offerAnotherPasskey(browser.cookies) : 'offer-passkey' };
      }
      const { address: email, name } = codeRequest;
      const handle = authorizationRequests.handleOf(request.state_hash);
      await signInNewPasskeyUser(
        deps,
        { email, isVerified: true, invitationId: request.invitation_id, name, handle },
        browser,
      );
      return { returnTo, next: 'offer-passkey' };
    },

    async write(request, code) {
      const address = request.address as string;
      const person = (await findUser(address))?.person ?? (await findWithoutMethod(address));
      const invitation = person ? null : await invitationOf(deps, request, address);
      if (!person && !invitation && !(await canAutoJoin(address))) return null;
      const site = await settings.current();
      const codeRequest = codeRequestOf(deps, request);
      const language =
        chosenMailLanguage(person) ??
        codeRequest.language ??
        invitation?.language ??
        (person && (await findLanguage(database, person.id))) ??
        site.mailLanguage;
      const attempt = request.state_hash.toString('base64url');
      return writeSignInCodeMail(language, {
        to: {
          name: person?.display_name ?? invitation?.name ?? '',
          // Uses the stored spelling of the address if there is one, otherwise the typed one.
          address: person?.email ?? invitation?.email ?? codeRequest.address,
        },
        site: { ...site, publicUrl: deps.publicUrl },
        code,
        purpose: request.purpose,
        again: {
          from: { ...describeAgent(codeRequest.from.userAgent), address: codeRequest.from.address },
          // The fragment keeps the code out of server logs. The link works only in the browser that requested it.
          link: `${deps.publicUrl}/login?sign-in=code&attempt=${attempt}#${code}${authorizationRequests.linkKeyOf(request.state_hash, request.proof_mails)}`,
        },
      });
    },
  };
}
