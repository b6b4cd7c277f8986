/** Registers a passkey before there is a session. An invitation link only creates new users. */
import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import { startFirstPasskey, createFirstPasskey, passkeyErrors } from '@vestibule/contract/sign-in/passkeys';
import type { RouteBody } from '@vestibule/contract/route';
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { needsCodeFirst } from '../../invitations/invitation-store.ts';
import { findInvitation, isOpen } from '../../invitations/invitation-store.ts';
import type { AddressCodes } from '../email-codes/code-store.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import { signInStartLimit } from '../oidc/start-authorization.ts';
import { safeReturnUrl } from '../oidc/return-url.ts';
import type { AuthorizationRequest } from '../oidc/authorization-requests/request-row.ts';
import type { AuthorizationRequests } from '../oidc/authorization-requests/request-store.ts';
import { signInOf } from '../sessions/sessions.ts';
import type { Authenticator } from './authenticators/authenticator.ts';
import { defaultPasskeyName } from './authenticators/authenticator-names.ts';
import { storeFirstPasskey, storePasskey, rejectKnownPasskey } from './passkey-changes.ts';
import { createPasskeySession } from './passkey-session.ts';
import { findPasskeyUser, listPasskeys, passkeyIdentity, type NewPasskey } from './passkey-store.ts';
import { markPasskeySeen } from './passkey-prompt-cookie.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & { authenticator: Authenticator; addressCodes: AddressCodes };

/** User whom a passkey is created for. `verifiedAttempt` is the sign-in whose code was entered; null for an invitation link. */
type PasskeySubject = { email: string; name: string; handle: string | null; verifiedAttempt: string | null };

export function firstPasskeyRoutes(deps: Deps): Implementation[] {
  const { database, settings, authorizationRequests, authenticator, addressCodes } = deps;
  const findVerifiedAttempt = createFindVerifiedAttempt(authorizationRequests);
  const { signInByLink, signInByCode } = createFirstPasskeySignIns({ ...deps, findVerifiedAttempt });
  const starts = createRateLimit(deps, signInStartLimit);

  return [
    implement(startFirstPasskey, async ({ body, cookies, origin }) => {
      assertWithinRateLimit(await starts.take(networkOf(origin.address)));
      const { subject, existing, ...request } =
        body.attempt === undefined
          ? await subjectByLink(body, origin)
          : await subjectByCode(body, body.attempt, cookies);
      const hash = await authorizationRequests.createLocal(
        {
          ...request,
          way: passkeyMethod,
          outcome: { kind: 'passkey' },
          sealed: deps.sessions.tokenEncryption.encrypt(JSON.stringify(subject)),
        },
        cookies,
      );
      const options = await authenticator.creationOptions({
        productName: (await settings.current()).productName,
        email: subject.email,
        name: subject.name,
        handle: subject.handle ?? authorizationRequests.handleOf(hash),
        challenge: authorizationRequests.challengeOf(hash),
        existing,
      });
      return { attempt: hash.toString('base64url'), options };
    }),

    implement(createFirstPasskey, async ({ body, cookies, origin }) => {
      const transaction = await authorizationRequests.claimPasskey(body.attempt, cookies);
      const subject =
        transaction?.sealed &&
        (JSON.parse(deps.sessions.tokenEncryption.decrypt(transaction.sealed)) as PasskeySubject);
      // Attempts of the profile page (startPasskey) have no e-mail address and are rejected.
      if (!transaction || !subject || subject.email === undefined) throw fail(signInProblems.expired);
      const passkey = await authenticator.register(
        body.response,
        authorizationRequests.challengeOf(transaction.state_hash),
        { id: deps.newId(), name: (aaguid) => defaultPasskeyName(aaguid, origin.userAgent) },
      );
      const browser = { cookies, origin };
      const signIn =
        subject.verifiedAttempt === null
          ? signInByLink(transaction, subject, passkey, browser)
          : signInByCode(transaction, subject, subject.verifiedAttempt, passkey, browser);
      await signIn.catch(rejectKnownPasskey);
      markPasskeySeen(cookies);
      return { returnTo: transaction.return_to };
    }),
  ];

  async function subjectByLink(body: RouteBody<typeof startFirstPasskey>, origin: Origin) {
    const invitation = await deps.findPendingInvitation(body.invitation ?? '', origin);
    if (!invitation) throw fail(personErrors.invitationExpired);
    if (needsCodeFirst(invitation.role, await settings.current())) throw fail(passkeyErrors.codeFirst);
    const subject: PasskeySubject = {
      email: invitation.email,
      name: body.name || invitation.name,
      handle: null,
      verifiedAttempt: null,
    };
    const returnTo = safeReturnUrl(body.returnTo, deps.publicUrl);
    return { subject, existing: [], invitationId: invitation.id, returnTo };
  }

  async function subjectByCode(body: RouteBody<typeof startFirstPasskey>, attempt: string, cookies: Cookies) {
    const verified = await findVerifiedAttempt(attempt, cookies);
    const codeRequest = addressCodes.codeRequestOf(verified);
    const address = canonicalEmail(codeRequest.address) as string;
    const person = await findPasskeyUser(database, address, authenticator.rpId);
    const invitation = person ? null : await addressCodes.invitationOf(verified, address);
    const subject: PasskeySubject = {
      email: person?.person.email ?? invitation?.email ?? codeRequest.address,
      name: person?.person.display_name ?? (body.name || codeRequest.name || invitation?.name || ''),
      handle: person?.handle ?? null,
      verifiedAttempt: attempt,
    };
    return {
      subject,
      // Only the verified owner of the address gets this list. It prevents overwriting a passkey on the same device.
      existing: person ? await listPasskeys(database, person.person.id) : [],
      invitationId: verified.invitation_id,
      returnTo: verified.return_to,
    };
  }
}

type FindVerifiedAttempt = (attempt: string, cookies: Cookies) => Promise<AuthorizationRequest>;

const createFindVerifiedAttempt =
  (authorizationRequests: AuthorizationRequests): FindVerifiedAttempt =>
  async (attempt, cookies) => {
    const verified = await authorizationRequests.find(attempt, cookies);
    if (verified?.outcome?.kind !== 'proven') throw fail(signInProblems.expired);
    return verified;
  };

function createFirstPasskeySignIns(deps: Deps & { findVerifiedAttempt: FindVerifiedAttempt }) {
  const { database, settings, authorizationRequests, authenticator, addressCodes, findVerifiedAttempt, now } =
    deps;
  return { signInByLink, signInByCode };

  async function signInByLink(
    transaction: AuthorizationRequest,
    subject: PasskeySubject,
    passkey: NewPasskey,
    browser: BrowserContext,
  ): Promise<void> {
    const invitation = await findInvitation(database, transaction.invitation_id ?? '');
    if (!invitation || !isOpen(invitation, now())) throw fail(personErrors.invitationExpired);
    if (needsCodeFirst(invitation.role, await settings.current())) throw fail(passkeyErrors.codeFirst);
    // Uses the stored address: the invitation may have been readdressed since.
    await signInNewUser(transaction, subject, passkey, browser);
  }

  async function signInByCode(
    transaction: AuthorizationRequest,
    subject: PasskeySubject,
    attempt: string,
    passkey: NewPasskey,
    browser: BrowserContext,
  ): Promise<void> {
    const verified = await findVerifiedAttempt(attempt, browser.cookies);
    if (!(await authorizationRequests.remove(verified.state_hash, browser.cookies)))
      throw fail(signInProblems.expired);
    const address = canonicalEmail(addressCodes.codeRequestOf(verified).address) as string;
    const existing = await findPasskeyUser(database, address, authenticator.rpId);
    if (!existing) return signInNewUser(transaction, subject, passkey, browser);
    const { person, handle } = existing;
    // The person joined after the passkey was created, with another handle.
    if (subject.handle !== handle) throw fail(signInProblems.expired);
    return createPasskeySession(
      deps,
      person,
      { ...browser, id: deps.newId(), handle },
      (transactionOfPerson) =>
        storePasskey(deps.mail, transactionOfPerson, {
          handle,
          // Time of the code: a later sign-out everywhere invalidates it.
          requestedAt: verified.created_at,
          passkey,
          person,
          origin: browser.origin,
          at: new Date(now()),
        }),
    );
  }

  async function signInNewUser(
    transaction: AuthorizationRequest,
    subject: PasskeySubject,
    passkey: NewPasskey,
    browser: BrowserContext,
  ): Promise<void> {
    const handle = subject.handle ?? authorizationRequests.handleOf(transaction.state_hash);
    const id = deps.newId();
    const at = new Date(now());
    const person = await deps.provisionUser({
      ...passkeyIdentity(handle),
      way: passkeyMethod,
      address: subject.email,
      isVerified: subject.verifiedAttempt !== null,
      claimed: transaction.invitation_id,
      name: subject.name || null,
      signIn: signInOf(id, at, browser.origin),
      origin: browser.origin,
      alongside: (transactionOfPerson: Queryable, personId) =>
        storeFirstPasskey(deps.mail, transactionOfPerson, {
          passkey,
          person: { id: personId, email: subject.email },
          origin: browser.origin,
          at,
        }),
    });
    await createPasskeySession(deps, person, { ...browser, id, handle });
  }
}
