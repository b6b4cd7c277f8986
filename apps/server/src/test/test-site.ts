/** The application and the identity provider as they stand together: each trusts the keys of the other. For tests of both. */
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
} from '../../../../packages/b2c-emulator/src/test/test-tenant.ts';
import { createTestApp } from './test-app.ts';
import { watchRoutes } from './test-routes.ts';

/** What a scraper of the site's metrics shows. */
export const metricsToken = 'a-token-of-the-tests-for-metrics';

export type TestSite = Awaited<ReturnType<typeof createTestSite>>;

/** Anna and `others`, who are addresses with her password, have accounts at the provider. */
export async function createTestSite(others: string[] = []) {
  const port = await freePort();
  // Passkeys need a name.
  const publicUrl = `http://localhost:${port}`;
  const people = [anna, ...others.map((email) => ({ ...anna, email }))];
  const [provider, providerRoutes] = await watchRoutes(() =>
    openTestTenant({
      people,
      hintIssuer: {
        metadataUrl: `${publicUrl}/.well-known/openid-configuration`,
        issuer: `${publicUrl}/`,
        audience: clientId,
      },
    }),
  );
  const read = async <Answer>(address: string) =>
    (await provider.app.inject(`/vestibule.onmicrosoft.com/b2c_1a_signin${address}`)).json<Answer>();
  const { issuer } = await read<{ issuer: string }>('/v2.0/.well-known/openid-configuration');
  const t = await createTestApp({
    environment: {
      PUBLIC_URL: publicUrl,
      AUTH_BASE_URL: providerOrigin,
      TENANT_NAME: 'vestibule',
      CLIENT_ID: clientId,
      API_SCOPES: apiScope,
      SIGN_UP_POLICY: 'B2C_1A_SignUp',
      METRICS_TOKEN: metricsToken,
      SIGN_IN_WITH: 'b2c,oidc,passkeys',
      // Nobody is there: for sessions that it could have led to.
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: 'http://127.0.0.1:9',
      OIDC_ACME_CLIENT_ID: 'vestibule',
      OIDC_ACME_CLIENT_SECRET: 'a secret of the client',
    },
    provider: {
      issuer: () => Promise.resolve(issuer),
      keys: createLocalJWKSet(await read<JSONWebKeySet>('/discovery/v2.0/keys')),
    },
  });
  provider.clock.now = t.clock.now();
  await t.app.listen({ port, host: '127.0.0.1' });
  return {
    t,
    provider,
    providerRoutes,
    async close() {
      await t.close();
      await provider.close();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
