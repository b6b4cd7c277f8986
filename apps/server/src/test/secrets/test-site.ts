/** The application with its identity providers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import {
  anna,
  apiScope,
  clientId,
  openTestTenant,
  origin as providerOrigin,
} from '../../../../../packages/b2c-emulator/src/test/test-tenant.ts';
import { createIdleWaiter } from '../database/test-idle-database.ts';
import { createTestApp } from '../test-app.ts';
import { startTestOidcProvider } from '../sign-in/test-oidc-provider.ts';
import { runningClock, providerEnvironment } from '../sign-in/test-oidc-site.ts';

export const metricsToken = 'a-token-of-the-tests-for-metrics';

export type TestSite = Awaited<ReturnType<typeof createTestSite>>;

export async function createTestSite() {
  // Listens from the start, because another process could take a reserved port.
  const server = createServer((request, response) => t.app.routing(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const publicUrl = `http://localhost:${port}`;
  const provider = await openTestTenant({ people: [anna] });
  const read = async <Answer>(address: string) =>
    (await provider.app.inject(`/vestibule.onmicrosoft.com/b2c_1a_signin${address}`)).json<Answer>();
  const { issuer } = await read<{ issuer: string }>('/v2.0/.well-known/openid-configuration');
  const acme = await startTestOidcProvider({ way: 'acme', publicUrl });
  const { wrapDatabase, waitUntilIdle } = createIdleWaiter();
  const t = await createTestApp({
    clock: runningClock(),
    wrapDatabase,
    environment: {
      PUBLIC_URL: publicUrl,
      AUTH_BASE_URL: providerOrigin,
      TENANT_NAME: 'vestibule',
      CLIENT_ID: clientId,
      API_SCOPES: apiScope,
      SIGN_UP_POLICY: 'B2C_1A_SignUp',
      METRICS_TOKEN: metricsToken,
      TRUST_PROXY: '127.0.0.1',
      SIGN_IN_WITH: 'b2c,oidc,passkeys',
      OIDC_PROVIDERS: 'acme',
      ...providerEnvironment('acme', acme),
    },
    provider: {
      issuer: () => Promise.resolve(issuer),
      keys: createLocalJWKSet(await read<JSONWebKeySet>('/discovery/v2.0/keys')),
    },
  });
  Object.defineProperty(provider.clock, 'now', { get: t.clock.now });
  await t.app.ready();
  return {
    t,
    provider,
    acme,
    waitUntilIdle,
    async close() {
      server.closeAllConnections();
      server.close();
      await t.close();
      await provider.close();
      await acme.close();
    },
  };
}
