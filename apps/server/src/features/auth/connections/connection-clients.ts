/** OpenID Connect clients of the connections of organizations. Their configuration is read from the database for each use. */
import { isConnectionMethod } from '../../../platform/config/sign-in-methods.ts';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { callbackPath } from '@vestibule/contract/sign-in';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import { type OidcProviderConfig, isEntraForAll, isIssuer } from '../../../platform/config/oidc-providers.ts';
import type { Database, DatabaseDeps } from '../../../platform/database/database.ts';
import { createOutboundHttp, UnsafeAddress } from '../../../platform/http/outbound-http.ts';
import { domainOf } from '../../../platform/identity/canonical-email.ts';
import { createEncryption } from '../../../platform/identity/encryption.ts';
import { createOidcClient, type OidcClient } from '../oidc/oidc-client.ts';
import { findConnectionByMethod, findConnectionOfDomain, type ConnectionRow } from './connection-store.ts';
import { connectionTexts } from '@vestibule/contract/organizations/connection';
import { requestErrors } from '@vestibule/contract/request-errors';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { fail } from '../../../platform/errors/failure.ts';

const cachedClients = 1_000;

/** Client of a connection, with the connection as read for this use. */
export type ConnectionClient = OidcClient & { connection: ConnectionRow };

export function createConnectionClients(deps: {
  database: Database;
  secret: Buffer;
  publicUrl: string;
  /** Whether managers may enter addresses in private networks. */
  allowsPrivate: boolean;
  now: () => number;
}) {
  const encryption = createEncryption(deps.secret, 'vestibule connections of organizations');
  const outboundHttp = createOutboundHttp(deps);
  /** Clients cache the metadata of their provider. */
  const clients = new BoundedMap<string, { version: number; name: string; client: OidcClient }>(
    cachedClients,
  );

  const providerOf = (
    row: Pick<ConnectionRow, 'way' | 'organization_name' | 'issuer' | 'client_id'>,
    secret: string,
  ): OidcProviderConfig => ({
    id: row.way,
    name: row.organization_name,
    issuer: row.issuer,
    clientId: row.client_id,
    authentication: { method: 'any', secret },
    scopes: 'openid email profile',
    email: 'verified',
    parameters: {},
    fetch: (address, options) => outboundHttp.fetch(address as string | URL, options),
  });

  return {
    encrypt: (secret: string) => encryption.encrypt(secret),
    decrypt: (encrypted: Buffer) => encryption.decrypt(encrypted),
    providerOf,
    checkAddress: (address: string) => outboundHttp.check(address),

    /** Returns the client of a connection, also of an inactive one; null for other sign-in methods. */
    async find(methodId: string): Promise<ConnectionClient | null> {
      const connection = isConnectionMethod(methodId)
        ? await findConnectionByMethod(deps.database, methodId)
        : null;
      if (!connection) return null;
      const { version, organization_name: name } = connection;
      const cached = clients.get(methodId);
      if (cached?.version === version && cached.name === name) return { ...cached.client, connection };
      const provider = providerOf(connection, encryption.decrypt(connection.client_secret_sealed));
      const redirectUri = deps.publicUrl + callbackPath(methodId);
      const client = createOidcClient(provider, { redirectUri, now: deps.now });
      clients.set(methodId, { version, name, client });
      return { ...client, connection };
    },
  };
}

/** Returns a function that finds the connection of the organization that has verified the domain of an address. */
export const createFindConnection =
  ({ database, now }: DatabaseDeps) =>
  async (emailCanonical: string): Promise<SignInMethod | null> => {
    const found = await findConnectionOfDomain(database, domainOf(emailCanonical), new Date(now()));
    return found && { id: found.way, kind: 'oidc', name: found.organization_name };
  };

type Body = { issuer: string; clientId: string; secret?: string | undefined };

/**
 * Reads the issuer, client ID and secret that a manager has entered. Understands the address of the metadata instead of the issuer. Throws
 * a Failure with the problem of each field.
 */
export async function readConnectionBody(
  body: Body,
  options: {
    needsSecret: boolean;
    allowsPrivate: boolean;
    checkAddress: (address: string) => Promise<void>;
  },
): Promise<Body> {
  const issuer = body.issuer.trim().replace(/\/\.well-known\/openid-configuration$/, '');
  const secret = body.secret?.trim() || undefined;
  const fields: Record<string, Message> = {};
  const problem = await findIssuerProblem(issuer, options);
  if (problem) fields['issuer'] = problem;
  if (body.clientId === '') fields['clientId'] = createMessage(connectionTexts.clientIdMissing);
  if (options.needsSecret && secret === undefined)
    fields['secret'] = createMessage(connectionTexts.secretMissing);
  if (Object.keys(fields).length > 0) throw fail(requestErrors.invalid, { fields });
  return { issuer, clientId: body.clientId, secret };
}

async function findIssuerProblem(
  issuer: string,
  { allowsPrivate, checkAddress }: Parameters<typeof readConnectionBody>[1],
): Promise<Message | null> {
  if (!isIssuer(issuer) || (!allowsPrivate && !issuer.startsWith('https:')))
    return createMessage(connectionTexts.issuerInvalid);
  if (isEntraForAll(issuer)) return createMessage(connectionTexts.issuerOfAllTenants);
  try {
    await checkAddress(issuer);
    return null;
  } catch (error) {
    if (!(error instanceof UnsafeAddress)) throw error;
    return createMessage(connectionTexts.issuerPrivate);
  }
}
