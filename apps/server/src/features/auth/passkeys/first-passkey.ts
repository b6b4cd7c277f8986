/**
 * Registers a passkey before there is a session: by an invitation link, or by a sign-in whose code was entered. A
 * link only creates new users; it never adds a passkey to an existing one.
 */
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
import { needsCodeFirst } from '../../invitations/invitation-rules.ts';
import { findInvitation, isOpen } from '../../invitations/invitation-store.ts';
import type { AddressCodes } from '../email-codes/code-store.ts';
import type { Actor } from '../email-codes/email-codes.ts';
import { signInStarts } from '../oidc/start-authorization.ts';
import { returnAddress } from '../oidc/return-url.ts';
import type { Transaction } from '../oidc/authorization-requests/request-row.ts';
import type { Transactions } from '../oidc/authorization-requests/request-store.ts';
import { signInOf } from '../sessions/sessions.ts';
import type { Authenticator } from './authenticators/authenticator.ts';
import { defaultPasskeyName } from './authenticators/authenticator-names.ts';
import { storeFirstPasskey, storeAdditionalPasskey, rejectKnownPasskey } from './passkey-changes.ts';
import { createPasskeySession } from './passkey-session.ts';
import { findByAddress, listPasskeys, passkeyIdentity, type NewPasskey } from './passkey-store.ts';
import { markPasskeySeen } from './passkey-prompt-cookie.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & { authenticator: Authenticator; addressCodes: AddressCodes };

/** User whom a passkey is created for. `proven` is the sign-in whose code was entered; null for an invitation link. */
type PasskeySubject = { email: string; name: string; handle: string | null; proven: string | null };

export function firstPasskeyRoutes(deps: Deps): Implementation[] {
  const { database, settings, transactions, authenticator, addressCodes } = deps;
  const findProven = createFindVerifiedAttempt(transactions);
  const { comeInByLink, comeInByCode } = createFirstPasskeySignIns({ ...deps, findProven });
  const starts = createRateLimit(deps, signInStarts);

  return [
    implement(startFirstPasskey, async ({ body, cookies, origin }) => {
      assertWithinRateLimit(await starts.take(networkOf(origin.address)));
      const { maker, known, ...begun } =
        body.attempt === undefined
          ? await makerByLink(body, origin)
          : await makerByCode(body, body.attempt, cookies);
      const hash = await transactions.beginHere(
        {
          ...begun,
          way: passkeyMethod,
          outcome: { kind: 'passkey' },
          sealed: deps.sessions.seal.close(JSON.stringify(maker)),
        },
        cookies,
      );
      const options = await authenticator.creationOptions({
        productName: (await settings.current()).productName,
        email: maker.email,
        name: maker.name,
        handle: maker.handle ?? transactions.handleOf(hash),
        challenge: transactions.challengeOf(hash),
        known,
      });
      return { attempt: hash.toString('base64url'), options };
    }),

    implement(createFirstPasskey, async ({ body, cookies, origin }) => {
      const transaction = await transactions.takePasskey(body.attempt, cookies);
      const maker = transaction?.sealed && (JSON.parse(deps.sessions.seal.open(transaction.sealed)) as PasskeySubject);
      // Attempts of the profile page (startPasskey) have no e-mail address and are rejected.
      if (!transaction || !maker || maker.email === undefined) throw fail(signInProblems.expired);
      const passkey = await authenticator.register(
        body.response,
        transactions.challengeOf(transaction.state_hash),
        { id: deps.newId(), name: (aaguid) => defaultPasskeyName(aaguid, origin.userAgent) },
      );
      const by = { cookies, origin };
      const comeIn =
        maker.proven === null
          ? comeInByLink(transaction, maker, passkey, by)
          : comeInByCode(transaction, maker, maker.proven, passkey, by);
      await comeIn.catch(rejectKnownPasskey);
      markPasskeySeen(cookies);
      return { returnTo: transaction.return_to };
    }),
  ];

  async function makerByLink(body: RouteBody<typeof startFirstPasskey>, origin: Origin) {
    const invitation = await deps.findOpenInvitation(body.invitation ?? '', origin);
    if (!invitation) throw fail(personErrors.invitationExpired);
    if (needsCodeFirst(invitation.role, await settings.current())) throw fail(passkeyErrors.codeFirst);
    const maker: PasskeySubject = {
      email: invitation.email,
      name: body.name || invitation.name,
      handle: null,
      proven: null,
    };
    const returnTo = returnAddress(body.returnTo, deps.publicUrl);
    return { maker, known: [], invitationId: invitation.id, returnTo };
  }

  async function makerByCode(body: RouteBody<typeof startFirstPasskey>, attempt: string, cookies: Cookies) {
    const proven = await findProven(attempt, cookies);
    const asked = addressCodes.askedOf(proven);
    const address = canonicalEmail(asked.address) as string;
    const person = await findByAddress(database, address, authenticator.rpId);
    const invitation = person ? null : await addressCodes.invitationOf(proven, address);
    const maker: PasskeySubject = {
      email: person?.person.email ?? invitation?.email ?? asked.address,
      name: person?.person.display_name ?? (body.name || asked.name || invitation?.name || ''),
      handle: person?.handle ?? null,
      proven: attempt,
    };
    return {
      maker,
      // Only the verified owner of the address gets this list. It prevents overwriting a passkey on the same device.
      known: person ? await listPasskeys(database, person.person.id) : [],
      invitationId: proven.invitation_id,
      returnTo: proven.return_to,
    };
  }
}

type FindVerifiedAttempt = (attempt: string, cookies: Cookies) => Promise<Transaction>;

const createFindVerifiedAttempt =
  (transactions: Transactions): FindVerifiedAttempt =>
  async (attempt, cookies) => {
    const proven = await transactions.find(attempt, cookies);
    if (proven?.outcome?.kind !== 'proven') throw fail(signInProblems.expired);
    return proven;
  };

function createFirstPasskeySignIns(deps: Deps & { findProven: FindVerifiedAttempt }) {
  const { database, settings, transactions, authenticator, addressCodes, findProven, now } = deps;
  return { comeInByLink, comeInByCode };

  async function comeInByLink(
    transaction: Transaction,
    maker: PasskeySubject,
    passkey: NewPasskey,
    by: Actor,
  ): Promise<void> {
    const invitation = await findInvitation(database, transaction.invitation_id ?? '');
    if (!invitation || !isOpen(invitation, now())) throw fail(personErrors.invitationExpired);
    // The role or the setting may have changed since.
    if (needsCodeFirst(invitation.role, await settings.current())) throw fail(passkeyErrors.codeFirst);
    // Uses the stored address: the invitation may have been readdressed since.
    await comeInNew(transaction, maker, passkey, by);
  }

  async function comeInByCode(
    transaction: Transaction,
    maker: PasskeySubject,
    attempt: string,
    passkey: NewPasskey,
    by: Actor,
  ): Promise<void> {
    const proven = await findProven(attempt, by.cookies);
    if (!(await transactions.end(proven.state_hash, by.cookies))) throw fail(signInProblems.expired);
    const address = canonicalEmail(addressCodes.askedOf(proven).address) as string;
    const known = await findByAddress(database, address, authenticator.rpId);
    if (!known) return comeInNew(transaction, maker, passkey, by);
    const { person, handle } = known;
    // The person joined after the passkey was created, with another handle.
    if (maker.handle !== handle) throw fail(signInProblems.expired);
    return createPasskeySession(deps, person, { ...by, id: deps.newId(), handle }, (within) =>
      storeAdditionalPasskey(deps.mail, within, {
        handle,
        // Time of the code: a later sign-out everywhere invalidates it.
        askedAt: proven.created_at,
        passkey,
        person,
        origin: by.origin,
        at: new Date(now()),
      }),
    );
  }

  /** Redeems the invitation in the transaction that stores the passkey. */
  async function comeInNew(
    transaction: Transaction,
    maker: PasskeySubject,
    passkey: NewPasskey,
    by: Actor,
  ): Promise<void> {
    const handle = maker.handle ?? transactions.handleOf(transaction.state_hash);
    const id = deps.newId();
    const at = new Date(now());
    const person = await deps.provisionUser({
      ...passkeyIdentity(handle),
      way: passkeyMethod,
      address: maker.email,
      isVerified: maker.proven !== null,
      claimed: transaction.invitation_id,
      name: maker.name || null,
      signIn: signInOf(id, at, by.origin),
      origin: by.origin,
      alongside: (within: Queryable, personId) =>
        storeFirstPasskey(deps.mail, within, {
          passkey,
          person: { id: personId, email: maker.email },
          origin: by.origin,
          at,
        }),
    });
    await createPasskeySession(deps, person, { ...by, id, handle });
  }
}
