/** Connections of organizations to their OpenID Provider: set-up by managers, and sign-in to an organization that requires it (R8). */
import { connectionMethodOf } from '../../../platform/config/sign-in-methods.ts';
import {
  changeConnection,
  checkConnection,
  connectionErrors,
  connectionTexts,
  deleteConnection,
  getConnection,
  putConnection,
  recoverOrganization,
  signInToOrganization,
  testConnection,
  type ConnectionState,
} from '@vestibule/contract/organizations/connection';
import {
  organizationAccessErrors,
  organizationPermissions,
} from '@vestibule/contract/organizations/permissions';
import { providerAdvice } from '@vestibule/contract/settings/provider-check';
import { requestErrors } from '@vestibule/contract/request-errors';
import { backchannelLogoutPath, callbackPath } from '@vestibule/contract/sign-in';
import { createMessage } from '@vestibule/contract/texts/text';
import type { OidcProviderConfig } from '../../../platform/config/oidc-providers.ts';
import { organizationAudit, type AuditEntry } from '../../../platform/audit/audit-log.ts';
import { execute, hasRow, rowOf, type Queryable } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit, fail, required } from '../../../platform/errors/failure.ts';
import {
  implement,
  type Caller,
  type CallerOrganization,
  type Implementation,
  type Origin,
} from '../../../platform/http/implement.ts';
import { readProviderStatus } from '../oidc/provider-health.ts';
import type { SignInContext } from '../sign-in-context.ts';
import { readConnectionBody } from './connection-clients.ts';
import { findConnection, readReach, type ConnectionRow } from './connection-store.ts';
import { randomBytes } from 'node:crypto';
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';
import { formatToken } from '../../../platform/identity/opaque-token.ts';

type CallOf = { organization: CallerOrganization };
type Change = CallOf & { caller: Caller; origin: Origin };

export const connectionRoutes = (deps: SignInContext): Implementation[] => [
  ...setUpRoutes(deps),
  ...activationRoutes(deps),
  ...memberRoutes(deps),
];

/** Reads and writes that several routes share. */
function createConnectionHelpers(deps: SignInContext) {
  const { database } = deps;
  return {
    async stateOf({ caller, organization }: Omit<Change, 'origin'>): Promise<ConnectionState> {
      const method = connectionMethodOf(organization.id);
      const [allowed, row, reach, status] = await Promise.all([
        isAllowed(database, organization.id),
        findConnection(database, organization.id),
        readReach(database, organization.id),
        readProviderStatus(database, { id: method, name: organization.name }),
      ]);
      return {
        isAllowed: allowed,
        connection: row && {
          issuer: row.issuer,
          clientId: row.client_id,
          isActive: row.is_active,
          isRequired: row.is_required,
          testedAt: row.tested_at?.toISOString() ?? null,
          testedAs: row.tested_as,
          ...status,
        },
        registrations: [
          { use: 'redirect', address: deps.publicUrl + callbackPath(method) },
          { use: 'signed-out', address: `${deps.publicUrl}/` },
          { use: 'backchannel-logout', address: deps.publicUrl + backchannelLogoutPath(method) },
        ],
        ...reach,
        isOwnSignIn: caller.signInMethod === method,
      };
    },

    async requireAllowed({ organization }: CallOf): Promise<void> {
      if (!(await isAllowed(database, organization.id))) throw fail(connectionErrors.notAllowed);
    },

    /** Returns the connection, with its lock in a transaction. */
    async require({ organization }: CallOf, transaction?: Queryable): Promise<ConnectionRow> {
      const lock = transaction !== undefined;
      const row = await findConnection(transaction ?? database, organization.id, { lock });
      return required(row, connectionErrors.notFound);
    },

    async requireDomain({ organization }: CallOf): Promise<void> {
      const { domains } = await readReach(database, organization.id);
      if (domains.length === 0) throw fail(connectionErrors.noDomain);
    },
  };
}

function setUpRoutes(deps: SignInContext): Implementation[] {
  const { database, connectionClients: clients, now } = deps;
  const helpers = createConnectionHelpers(deps);
  const checks = createRateLimit(deps, { name: 'checks of a connection', maximum: 20, windowSeconds: 60 });

  const check = (provider: OidcProviderConfig) =>
    deps.checkProvider(provider, deps, {
      reach: () => createMessage(providerAdvice.reachIssuer),
      takeIssuer: (issuer) => createMessage(providerAdvice.enterIssuer, { issuer }),
      correctCredentials: () => createMessage(providerAdvice.correctClientOfConnection),
    });
  const countCheck = async ({ organization }: CallOf) =>
    assertWithinRateLimit(await checks.take(organization.id), connectionErrors.checkedTooOften);

  return [
    implement(getConnection, (call) => helpers.stateOf(call)),

    implement(putConnection, async ({ body, ...call }) => {
      const { organization, caller } = call;
      await helpers.requireAllowed(call);
      const before = await findConnection(database, organization.id);
      const given = await readConnectionBody(body, {
        needsSecret: before === null,
        allowsPrivate: deps.allowsPrivate,
        checkAddress: clients.checkAddress,
      });
      const { issuer, clientId } = given;
      const isSameClient = before?.issuer === issuer && before.client_id === clientId;
      if (before?.is_active && !isSameClient) throw fail(connectionErrors.active);
      // The previous secret is not sent to another provider.
      if (!isSameClient && given.secret === undefined)
        throw fail(requestErrors.invalid, {
          fields: { secret: createMessage(connectionTexts.secretMissing) },
        });
      if (before?.is_active && given.secret !== undefined) {
        await countCheck(call);
        const findings = await check(clients.providerOf(before, given.secret));
        if (findings.some(({ outcome }) => outcome === 'failed')) throw fail(connectionErrors.secretRefused);
      }
      await database.transaction(async (transaction) => {
        const written = await execute(transaction, {
          // The condition fails if the connection was activated since it was read.
          text: `insert into organization_connections (organization_id, way, issuer, client_id, client_secret_sealed, created_at, created_by)
                 values ($1, $2, $3, $4, $5, $6, $7)
                 on conflict (organization_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
                   client_secret_sealed = excluded.client_secret_sealed, version = organization_connections.version + 1,
                   tested_at = case when organization_connections.is_active then organization_connections.tested_at end,
                   tested_as = case when organization_connections.is_active then organization_connections.tested_as end
                 where not organization_connections.is_active
                   or (organization_connections.issuer, organization_connections.client_id) = (excluded.issuer, excluded.client_id)`,
          values: [
            organization.id,
            connectionMethodOf(organization.id),
            issuer,
            clientId,
            given.secret === undefined ? before?.client_secret_sealed : clients.encrypt(given.secret),
            new Date(now()),
            caller.email,
          ],
        });
        if (written === 0) throw fail(connectionErrors.active);
        await recordConnection(transaction, before ? 'connection.changed' : 'connection.created', call, {
          ...(before && { before: { issuer: before.issuer, clientId: before.client_id } }),
          after: { issuer, clientId },
          ...(given.secret !== undefined && { secret: 'new' }),
        });
      });
      return helpers.stateOf(call);
    }),

    implement(checkConnection, async (call) => {
      await helpers.requireAllowed(call);
      const row = await helpers.require(call);
      await countCheck(call);
      return { findings: await check(clients.providerOf(row, clients.decrypt(row.client_secret_sealed))) };
    }),

    implement(testConnection, async ({ body, cookies, log, ...call }) => {
      await helpers.requireAllowed(call);
      const { way } = await helpers.require(call);
      await helpers.requireDomain(call);
      await deps.authorization.countStart(call.origin);
      const client = required(await clients.find(way), connectionErrors.notFound);
      return deps.authorization.start(
        client,
        {
          returnTo: body.returnTo,
          purpose: 'test',
          personId: call.caller.id,
          sessionId: call.caller.session,
        },
        { language: body.language, prompt: 'select_account' },
        { cookies, origin: call.origin, log },
      );
    }),
  ];
}

function activationRoutes(deps: SignInContext): Implementation[] {
  const { sessions } = deps;
  const helpers = createConnectionHelpers(deps);
  const recoveryCodes = createRecoveryCodes(deps.secret);

  /** Changes the connection in one transaction with the end of its sessions, if `endsSessions`. */
  async function change(
    call: Change,
    write: (
      transaction: Queryable,
      row: ConnectionRow,
    ) => Promise<{ action: string; endsSessions: boolean } | null>,
  ): Promise<void> {
    await sessions.end(
      { connection: connectionMethodOf(call.organization.id) },
      'by the organization',
      call.caller,
      call.origin,
      async (transaction) => {
        const changed = await write(transaction, await helpers.require(call, transaction));
        if (changed) await recordConnection(transaction, changed.action, call);
        return changed?.endsSessions ?? false;
      },
    );
  }

  return [
    implement(changeConnection, async ({ body, ...call }) => {
      await helpers.requireAllowed(call);
      if (body.isActive === true || body.isRequired === true) await helpers.requireDomain(call);
      let recoveryCode: string | null = null;
      await change(call, async (transaction, row) => {
        const isActive = body.isActive ?? row.is_active;
        const isRequired = isActive && (body.isRequired ?? row.is_required);
        if (body.isRequired === true && !isActive) throw fail(connectionErrors.inactive);
        if (isActive && row.tested_at === null) throw fail(connectionErrors.notTested);
        if (isActive === row.is_active && isRequired === row.is_required) return null;
        const isNewlyRequired = isRequired && !row.is_required;
        if (isNewlyRequired && !call.caller.isAdmin && call.caller.signInMethod !== row.way)
          throw fail(connectionErrors.signInFirst);
        const code = isNewlyRequired ? recoveryCodes.make() : null;
        recoveryCode = code && code.text;
        await execute(transaction)`
          update organization_connections set is_active = ${isActive}, is_required = ${isRequired},
            recovery_code_hash = case when ${isRequired} then coalesce(${code && code.hash}, recovery_code_hash) end
          where organization_id = ${row.organization_id}`;
        if (isActive !== row.is_active)
          return { action: `connection.${isActive ? 'activated' : 'deactivated'}`, endsSessions: !isActive };
        return { action: `connection.${isRequired ? 'required' : 'optional'}`, endsSessions: !isActive };
      });
      return { ...(await helpers.stateOf(call)), recoveryCode };
    }),

    implement(deleteConnection, async (call) => {
      await change(call, async (transaction, { organization_id: id }) => {
        await execute(transaction)`delete from organization_connections where organization_id = ${id}`;
        return { action: 'connection.deleted', endsSessions: true };
      });
      return { organizationId: call.organization.id };
    }),
  ];
}

/** Routes for members, who cannot open the organization yet. */
function memberRoutes(deps: SignInContext): Implementation[] {
  const { database, connectionClients: clients } = deps;
  const recoveryCodes = createRecoveryCodes(deps.secret);
  const tries = createRateLimit(deps, perHour('recovery codes of a person', 10));

  /** Returns the caller's organization with this short name, and the permissions of their role. */
  async function requireMembership(caller: Caller, slug: string) {
    const found = await rowOf<{ id: string; name: string; role_id: string; permissions: string[] }>(database)`
      select organizations.id, organizations.name, role_id, permissions
      from organizations join memberships on organization_id = organizations.id and person_id = ${caller.id}
        join organization_roles on organization_roles.id = role_id
      where slug = ${slug}`;
    if (!found) throw fail(organizationAccessErrors.notFound);
    const permissions = new Set(
      deps.permissionsOfRole({ id: found.role_id, permissions: found.permissions }),
    );
    return { id: found.id, name: found.name, permissions, asSiteAdministrator: false };
  }

  return [
    implement(signInToOrganization, async ({ caller, params, body, origin, cookies, log }) => {
      const { id } = await requireMembership(caller, params.slug);
      await deps.authorization.countStart(origin);
      const client = await clients.find(connectionMethodOf(id));
      if (!client?.connection.is_active) throw fail(organizationAccessErrors.notFound);
      return deps.authorization.start(
        client,
        { returnTo: body.returnTo },
        { loginHint: caller.email, language: body.language },
        { cookies, origin, log },
      );
    }),

    implement(recoverOrganization, async ({ caller, params, body, origin }) => {
      const organization = await requireMembership(caller, params.slug);
      if (!organization.permissions.has(organizationPermissions.writeConnection.name))
        throw fail(organizationAccessErrors.permissionNeeded);
      assertWithinRateLimit(await tries.take(caller.id), connectionErrors.triedTooOften);
      await database.transaction(async (transaction) => {
        const row = await findConnection(transaction, organization.id, { lock: true });
        if (!row?.is_required) throw fail(connectionErrors.notRequired);
        if (!row.recovery_code_hash?.equals(recoveryCodes.hashOf(body.code)))
          throw fail(connectionErrors.recoveryCodeWrong);
        await execute(transaction)`
          update organization_connections set is_required = false, recovery_code_hash = null
            where organization_id = ${organization.id}`;
        await recordConnection(transaction, 'connection.recovered', { caller, organization, origin });
      });
      return { organizationId: organization.id };
    }),
  ];
}

const isAllowed = (database: Queryable, organizationId: string) =>
  hasRow(database)`select from organizations where id = ${organizationId} and single_sign_on`;

const recordConnection = (
  transaction: Queryable,
  action: string,
  change: Change,
  detail?: AuditEntry['detail'],
) => organizationAudit.record(transaction, change.organization, action, change, detail);

/** Without letters and digits that look alike. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const randomBytesPerCode = 15;
const codeLength = 24;

/** Recovery codes of organizations: 120 random bits. Only a keyed hash is stored. */
function createRecoveryCodes(secret: Buffer) {
  const keyedHash = createKeyedHash(secret, 'vestibule recovery codes of organizations');
  /** Ignores the case, spaces and hyphens. */
  const hashOf = (code: string) => keyedHash(code.toUpperCase().replaceAll(/[^0-9A-Z]/g, ''));
  return {
    hashOf,
    /** Returns a code in groups of four, such as `ABCD-EFGH-…`. */
    make(): { text: string; hash: Buffer } {
      const code = formatToken(randomBytes(randomBytesPerCode), alphabet, codeLength);
      return { text: code.match(/.{4}/g)?.join('-') ?? code, hash: hashOf(code) };
    },
  };
}
