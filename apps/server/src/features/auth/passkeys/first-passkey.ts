/** Registers a passkey before there is a session. An invitation link only creates new users. */
import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import { startFirstPasskey, createFirstPasskey, passkeyErrors } from '@vestibule/contract/sign-in/passkeys';
import type { RouteBody } from '@vestibule/contract/route';
import { fail, required } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { storeVerifiedAddress } from '../../people/people-store.ts';
import { needsCodeFirst, findOpenInvitation } from '../../invitations/invitation-store.ts';
import { codeRequestOf, invitationOf } from '../email-codes/code-store.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import { safeReturnUrl } from '../oidc/start-authorization.ts';
import type { AuthorizationRequest } from '../oidc/request-store.ts';
import type { Authenticator } from './authenticator.ts';
import {
  startRegistration,
  finishRegistration,
  storeFirstPasskey,
  storePasskey,
  rejectKnownPasskey,
} from './passkey-changes.ts';
import { createPasskeySession, markPasskeySeen, signInNewPasskeyUser } from './passkey-session.ts';
import { findPasskeyUser, listPasskeys, passkeyIdentity } from './passkey-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & { authenticator: Authenticator };

/** User whom a passkey is created for. `verifiedAttempt` is the sign-in whose code was entered; null for an invitation link. */
type PasskeySubject = { email: string; name: string; handle: string | null; verifiedAttempt: string | null };

type Registration = Awaited<ReturnType<typeof finishRegistration<PasskeySubject>>>;

export function firstPasskeyRoutes(deps: Deps): Implementation[] {
  const { database, settings, authenticator } = deps;
  const { signInByLink, signInByCode } = createFirstPasskeySignIns(deps);

  return [
    implement(startFirstPasskey, async ({ body, cookies, origin }) => {
      await deps.authorization.countStart(origin);
      const { subject, existing, ...request } =
        body.attempt === undefined
          ? await subjectByLink(body, origin)
          : await subjectByCode(body, body.attempt, cookies);
      const { email, name } = subject;
      return startRegistration(deps, request, { subject, email, name, existing }, cookies);
    }),

    implement(createFirstPasskey, async ({ body, cookies, origin }) => {
      const browser = { cookies, origin };
      const registration = await finishRegistration<PasskeySubject>(
        deps,
        body,
        browser,
        // Registrations of the profile page (startPasskey) have no e-mail address and are rejected.
        ({ email }) => email !== undefined,
      );
      const signIn =
        registration.subject.verifiedAttempt === null
          ? signInByLink(registration, browser)
          : signInByCode(registration, registration.subject.verifiedAttempt, browser);
      await signIn.catch(rejectKnownPasskey);
      markPasskeySeen(cookies);
      return { returnTo: registration.request.return_to };
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
    const verified = await requireVerifiedAttempt(deps, attempt, cookies);
    const codeRequest = codeRequestOf(deps, verified);
    const address = canonicalEmail(codeRequest.address) as string;
    const person = await findPasskeyUser(database, address, authenticator.rpId);
    const invitation = person ? null : await invitationOf(deps, verified, address);
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

/** Returns the sign-in whose code was entered. */
async function requireVerifiedAttempt(
  { authorizationRequests }: Deps,
  attempt: string,
  cookies: Cookies,
): Promise<AuthorizationRequest> {
  const verified = await authorizationRequests.find(attempt, cookies);
  if (verified?.outcome?.kind !== 'proven') throw fail(signInProblems.expired);
  return verified;
}

function createFirstPasskeySignIns(deps: Deps) {
  const { database, settings, authorizationRequests, authenticator, now } = deps;
  return { signInByLink, signInByCode };

  async function signInByLink(registration: Registration, browser: BrowserContext): Promise<void> {
    const invitation = required(
      await findOpenInvitation(database, registration.request.invitation_id, now()),
      personErrors.invitationExpired,
    );
    if (needsCodeFirst(invitation.role, await settings.current())) throw fail(passkeyErrors.codeFirst);
    // Uses the stored address: the invitation may have been readdressed since.
    await signInNewUser(registration, browser);
  }

  async function signInByCode(
    registration: Registration,
    attempt: string,
    browser: BrowserContext,
  ): Promise<void> {
    const verified = await requireVerifiedAttempt(deps, attempt, browser.cookies);
    if (!(await authorizationRequests.remove(verified.state_hash, browser.cookies)))
      throw fail(signInProblems.expired);
    const address = canonicalEmail(codeRequestOf(deps, verified).address) as string;
    const existing = await findPasskeyUser(database, address, authenticator.rpId);
    if (!existing) return signInNewUser(registration, browser);
    const { person, handle } = existing;
    // The person joined after the passkey was created, with another handle.
    if (registration.subject.handle !== handle) throw fail(signInProblems.expired);
    await createPasskeySession(deps, person, { ...browser, handle }, (transactionOfPerson) =>
      storePasskey(deps.mail, transactionOfPerson, {
        handle,
        // Time of the code: a later sign-out everywhere invalidates it.
        requestedAt: verified.created_at,
        passkey: registration.passkey,
        person,
        origin: browser.origin,
        at: new Date(now()),
      }),
    );
    await storeVerifiedAddress(database, passkeyIdentity(handle), person.email);
  }

  async function signInNewUser(
    { request, subject, handle, passkey }: Registration,
    browser: BrowserContext,
  ): Promise<void> {
    const { email } = subject;
    await signInNewPasskeyUser(
      deps,
      {
        email,
        isVerified: subject.verifiedAttempt !== null,
        invitationId: request.invitation_id,
        name: subject.name || null,
        handle,
      },
      browser,
      (transaction, id) =>
        storeFirstPasskey(deps.mail, transaction, {
          passkey,
          person: { id, email },
          origin: browser.origin,
          at: new Date(now()),
        }),
    );
  }
}
