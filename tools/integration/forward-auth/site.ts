/** A site with passkeys and mailed codes at `https://portal.vestibule.test`, and its users. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { connectToSite, createPerson, type Person } from '../../../packages/testing/src/site.ts';
import { waitForCode } from '../../../e2e/fixtures/passkeys-site.ts';
import { findFreePorts } from '../../../packages/testing/src/start-server.ts';
import { startServer } from '../fixture.ts';
import { createClient, type Client } from './client.ts';
import { hosts, startProxy, type ProxyName, type Setup } from './proxies.ts';

export type User = Person & { id: string; client: Client };
export type ProtectedSite = Awaited<ReturnType<typeof startProtectedSite>>;

/** Module that resolves the hosts of the test, which have no DNS records. */
const resolveToThisMachine = `
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
const { lookup } = dns;
dns.lookup = (host, options, done) =>
  host.endsWith('.test') ? done(null, [{ address: '127.0.0.1', family: 4 }]) : lookup(host, options, done);
syncBuiltinESMExports();
`;

/** Starts a site and a proxy, and registers both applications: `calendar` for everyone, `flows` for the user and the administrator. */
export async function startProtectedSite(
  cleanup: AsyncDisposableStack,
  proxy: ProxyName,
  given: Pick<Setup, 'directory' | 'radicale' | 'nodeRed'> & { authority: string },
) {
  const [ports, { web: port }] = [await findFreePorts(), await findFreePorts()];
  const addresses = {
    portal: `https://${hosts.portal}:${port}`,
    calendar: `https://${hosts.calendar}:${port}`,
    flows: `https://${hosts.flows}:${port}`,
  };
  const resolver = path.join(given.directory, 'resolver.mjs');
  writeFileSync(resolver, resolveToThisMachine);
  const server = await startServer(cleanup, {
    ports,
    env: {
      SIGN_IN_WITH: 'passkeys',
      PUBLIC_URL: addresses.portal,
      TRUST_PROXY: '127.0.0.1',
      ALLOW_DEVELOPMENT_PARTS: 'yes',
      ADMIN_EMAIL: 'admin@example.com',
      LOG_LEVEL: 'warn',
      // For the check of a set-up, which requests the applications.
      WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes',
      NODE_EXTRA_CA_CERTS: path.join(given.directory, 'ca.pem'),
      NODE_OPTIONS: `--import=${resolver}`,
    },
  });
  const setup = { ...given, port, vestibule: ports.web };
  await startProxy(cleanup, proxy, setup);
  const site = await connectToSite(server);

  /** Calls the API with the session of a client. */
  async function call(
    client: Client,
    method: string,
    at: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> {
    const { status, text } = await client.send(addresses.portal + at, {
      method,
      headers: {
        origin: addresses.portal,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    assert.equal(status, 200, `${method} ${at}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** Accepts an invitation by a mailed code. */
  async function accept(person: Person, link: string): Promise<User> {
    const client = createClient(given.authority);
    const invitation = new URL(link).searchParams.get('i');
    const { attempt } = await call(client, 'POST', '/api/sign-in/code', { invitation, name: person.name });
    const code = await waitForCode(site, person.email);
    await call(client, 'POST', '/api/sign-in/proof', { attempt, code });
    const me = await call(client, 'GET', '/api/users/me');
    return { ...person, id: String(me['Id']), client };
  }

  const admin = await accept(site.administrator, site.getFirstAdministratorLink());

  async function createUser(name: string): Promise<User> {
    const person = createPerson(name);
    const { id } = await call(admin.client, 'POST', '/api/invitations', { email: person.email });
    const { link } = await call(admin.client, 'POST', `/api/invitations/${String(id)}/link`);
    return accept(person, String(link));
  }

  const user = await createUser('Ann Ütler');
  const register = async (name: string, address: string, access: object[]) =>
    String((await call(admin.client, 'POST', '/api/applications', { name, address, access }))['id']);
  const applications = {
    calendar: await register('Calendar', addresses.calendar, [{ kind: 'everyone' }]),
    flows: await register(
      'Flows',
      addresses.flows,
      [user, admin].map(({ id }) => ({ kind: 'person', personId: id })),
    ),
  };

  return {
    setup,
    addresses,
    applications,
    admin,
    user,
    createUser,
    call,
    waitForCode: (email: string, after?: number) => waitForCode(site, email, after),
    codeMails: async (email: string) =>
      (await site.mailsTo(email)).filter(({ subject }) => /^\d{6}\b/.test(subject)).length,
    createClient: () => createClient(given.authority),
  };
}

/** Headers that Node-RED received, by name in lower case. */
export function receivedHeaders(text: string): Map<string, string> {
  const { received } = JSON.parse(text) as { received: string[] };
  const headers = new Map<string, string>();
  for (let index = 0; index < received.length; index += 2)
    headers.set((received[index] ?? '').toLowerCase(), received[index + 1] ?? '');
  return headers;
}
