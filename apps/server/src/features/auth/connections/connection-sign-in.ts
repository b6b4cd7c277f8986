/**
 * Sign-in through the connection of an organization (R8). The provider may only assert addresses of the organization's verified domains:
 * who controls a domain controls the mail of its addresses. Administrators of the site cannot be signed in by an organization.
 */
import { isMemberOf } from '../../organizations/membership-store.ts';
import { connectionErrors } from '@vestibule/contract/organizations/connection';
import { organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import { organizationAudit } from '../../../platform/audit/audit-log.ts';
import {
  execute,
  rawSql,
  rowOf,
  type Database,
  type Queryable,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import { findLatestInvitation, isOpen } from '../../invitations/invitation-store.ts';
import { isOrganizationOpen } from '../../invitations/redemption-store.ts';
import {
  findPeopleByIdentity,
  personColumns,
  type Identity,
  type PersonRow,
} from '../../people/people-store.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import type { Identities } from '../identities/identities.ts';
import { addressOf, canonicalOf, claimedAddress, nameOf, principalNameOf } from '../oidc/address-claims.ts';
import {
  loginOf,
  type SignInNewUser,
  type SignInResult,
  type StartSession,
} from '../oidc/complete-sign-in.ts';
import type { ProviderSignIn } from '../oidc/oidc-client.ts';
import type { AuthorizationRequest } from '../oidc/request-store.ts';
import type { ConnectionClient } from './connection-clients.ts';
import { isDomainOf, type ConnectionRow } from './connection-store.ts';

type Authorization = {
  client: ConnectionClient;
  request: AuthorizationRequest;
  providerSignIn: ProviderSignIn;
  identity: Identity;
  context: BrowserContext;
};

type Deps = {
  database: Database;
  identities: Pick<Identities, 'add'>;
  startSession: StartSession;
  signInNewUser: SignInNewUser;
  confirm: (
    authorization: Omit<Authorization, 'client'> & Pick<ConnectionClient, 'provider'>,
  ) => Promise<SignInResult>;
  now: () => number;
};

const signedIn = { kind: 'signed-in' } as const;

/** Returns a function that completes a test, a sign-in or a confirmation. It throws a Failure with the reason of a refusal. */
export function createConnectionSignIn(deps: Deps) {
  const { database, now } = deps;

  return async function finish(authorization: Authorization): Promise<SignInResult> {
    const { client, request, providerSignIn, identity, context } = authorization;
    const { provider, connection } = client;
    const { purpose } = request;
    const { email, canonical } = await verifyAddress(database, authorization);
    if (purpose === 'test') {
      await recordTest(database, connection, email, new Date(now()));
      return signedIn;
    }
    if (!connection.is_active) throw fail(signInProblems.expired);
    if (!(await isOrganizationOpen(database, connection.organization_id, new Date(now()))))
      throw fail(organizationAccessErrors.suspended);
    const person = await findPerson(authorization, email, canonical);
    if (purpose === 'confirm') return deps.confirm({ provider, request, providerSignIn, identity, context });
    if (purpose !== 'sign-in') throw fail(signInProblems.expired);
    const login = loginOf({ provider, providerSignIn, identity, context });
    if (person) await deps.startSession(person, login);
    else {
      const name = await nameOf(providerSignIn);
      const invited = { address: email, claimed: request.invitation_id, name };
      await deps.signInNewUser(login, invited, { email, isVerified: true });
    }
    return signedIn;
  };

  /**
   * Returns the person of an identity: known, or found by the asserted address, in which case the identity is added. An account that is
   * found by its address must be a member. Returns null for a new user.
   */
  async function findPerson(
    { client: { connection, provider }, request, identity, context }: Authorization,
    email: string,
    canonical: string,
  ): Promise<PersonRow | null> {
    const [known] = await findPeopleByIdentity(database, [identity]);
    const person = known ?? (await findPersonByAddress(database, canonical));
    if (!person) {
      // The organization cannot make anyone an administrator of the site.
      const latest = await findLatestInvitation(database, canonical);
      if (latest?.role === 'admin' && isOpen(latest, now())) throw fail(connectionErrors.siteAdministrator);
      return null;
    }
    if (person.role === 'admin') throw fail(connectionErrors.siteAdministrator);
    if (person.status === 'disabled') throw fail(personErrors.disabled);
    const own = domainOf(canonicalEmail(person.email) ?? '');
    // The account may have moved to another organization since it was linked.
    if (!(await isDomainOf(database, connection.organization_id, own)))
      throw fail(connectionErrors.addressOutside, {
        values: { provider: provider.name, organization: provider.name, email: person.email },
      });
    if (known) return person;
    // A sign-in never adds a membership, so that a removed member stays removed.
    if (!(await isMemberOf(database, connection.organization_id, person.id)))
      throw fail(connectionErrors.otherAccount, { values: { organization: connection.organization_name } });
    const account = { ...identity, way: provider.id, wayName: provider.name, email, isVerified: true };
    const requestedBy = { personId: person.id, migrationId: null, requestedAt: request.created_at };
    return deps.identities.add(requestedBy, account, context.origin);
  }
}

/**
 * Returns the address that the provider asserts. Throws, and writes an audit row, if the connection may not assert it. A provider that omits
 * `email_verified`, such as Entra ID and AD FS, is trusted within the organization's domains, also if its userinfo cannot be read. So is the
 * user principal name of an account without an address.
 */
async function verifyAddress(
  database: Database,
  { client: { connection }, providerSignIn, context }: Authorization,
): Promise<{ email: string; canonical: string }> {
  const principalName = principalNameOf(connection.issuer, providerSignIn.claims);
  const reported = await addressOf(providerSignIn).catch((error: unknown) => {
    const fromToken = claimedAddress(providerSignIn.claims);
    if (fromToken.email === null && principalName === null) throw error;
    return fromToken;
  });
  const address = { ...reported, email: reported.email ?? principalName };
  const canonical = canonicalOf(address);
  const provider = connection.organization_name;
  if (address.email === null || canonical === null || address.isUnverified) {
    await recordRefusedAddress(database, connection, context.origin, { reason: 'unverified' });
    throw fail(connectionErrors.addressMissing, { values: { provider, organization: provider } });
  }
  if (!(await isDomainOf(database, connection.organization_id, domainOf(canonical)))) {
    const detail = { reason: 'another domain', email: address.email };
    await recordRefusedAddress(database, connection, context.origin, detail);
    throw fail(connectionErrors.addressOutside, {
      values: { provider, organization: provider, email: address.email },
    });
  }
  return { email: address.email, canonical };
}

/** Stores a successful test. Does nothing if the connection was changed since. */
async function recordTest(
  database: Database,
  { organization_id: organizationId, version }: ConnectionRow,
  email: string,
  at: Date,
): Promise<void> {
  await execute(database)`
    update organization_connections set tested_at = ${at}, tested_as = ${email}
      where organization_id = ${organizationId} and version = ${version}`;
}

const findPersonByAddress = (database: Queryable, canonical: string) =>
  rowOf<PersonRow>(
    database,
  )`select ${rawSql(personColumns)} from people where email_canonical = ${canonical}`;

function recordRefusedAddress(
  database: Database,
  connection: ConnectionRow,
  origin: Origin,
  detail: Record<string, unknown>,
): Promise<void> {
  const organization = { id: connection.organization_id, name: connection.organization_name };
  const context = { caller: null, origin, organization };
  return organizationAudit.record(database, organization, 'connection.address_refused', context, detail);
}
