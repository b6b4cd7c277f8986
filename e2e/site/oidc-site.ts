/**
 * A site that people sign in to through OpenID Providers, on localhost, and the providers on 127.0.0.1: another site to a browser.
 * Their pages ask nothing; the journey says beforehand who signs in there, or what goes wrong.
 */
import { startTestOidcProvider } from '../../apps/server/src/test/test-oidc-provider.ts';
import { expect, test as base, type Page } from './journey.ts';
import { openSite, type Person } from './running-site.ts';
import { freePorts, removeDataDirectory, spawnServer, type Environment } from './start-server.ts';

type OidcProvider = Awaited<ReturnType<typeof startTestOidcProvider>>;
export type OidcSite = Awaited<ReturnType<typeof startOidcSite>>;

const names = { acme: 'Acme', globex: 'Globex' };
type WayId = keyof typeof names;

/** Starts the site. Its administrator is inside where B2C is among the ways; else their link is unused. */
export async function startOidcSite(options: { ways: WayId[]; withB2c?: boolean; env?: Environment }) {
  const ports = await freePorts();
  const publicUrl = `http://localhost:${ports.web}`;
  const providers = await Promise.all(
    options.ways.map(async (way) => [way, await startTestOidcProvider({ way, publicUrl })] as const),
  );
  const server = await spawnServer({
    ports,
    env: {
      SIGN_IN_WITH: options.withB2c ? 'b2c,oidc' : 'oidc',
      OIDC_PROVIDERS: options.ways.join(','),
      ...Object.fromEntries(
        providers.flatMap(([way, { issuer }]) => {
          const prefix = `OIDC_${way.toUpperCase()}`;
          return [
            [`${prefix}_ISSUER`, issuer],
            [`${prefix}_NAME`, names[way]],
            [`${prefix}_CLIENT_ID`, 'vestibule'],
            [`${prefix}_CLIENT_SECRET`, 'a-secret-of-the-tests-of-32-characters'],
          ];
        }),
      ),
      ...options.env,
    },
  });
  const stopAll = async () => {
    await server.stop();
    await removeDataDirectory(server.dataDirectory);
    await Promise.all(providers.map(([, provider]) => provider.close()));
  };
  try {
    await server.ready();
    const site = await openSite(server);
    if (options.withB2c) await site.signUp(site.administrator, site.firstLink());
    const byWay = Object.fromEntries(providers) as Record<WayId, OidcProvider>;
    return {
      ...site,
      providers: byWay,
      /** Lets somebody sign in next at a provider, which vouches for their address or does not. */
      isNext(
        person: Pick<Person, 'email' | 'name'>,
        { way = 'acme', verified = true }: { way?: WayId; verified?: boolean } = {},
      ) {
        byWay[way].isNext(`sub of ${person.email}`, {
          email: person.email,
          email_verified: verified,
          name: person.name,
        });
      },
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** `test` for journeys on such a site, one for each worker. */
export const oidcTest = (options: Parameters<typeof startOidcSite>[0]) =>
  base.extend<{ nobodyYet: void }, { oidc: OidcSite }>({
    nobodyYet: [
      async ({ expectConsole }, use) => {
        expectConsole(
          /status of 401 .*\/api\//,
          'the page asks who is signed in, and is told that nobody is',
        );
        expectConsole(
          /fonts\.googleapis\.com|http:\/\/127\.0\.0\.1:\d+\/favicon/,
          "the provider's own pages",
        );
        await use();
      },
      { auto: true },
    ],
    oidc: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
      async ({}, use) => {
        const oidc = await startOidcSite(options);
        await use(oidc);
        try {
          expect(await oidc.leakedSecrets()).toEqual([]);
        } finally {
          await oidc.stop();
        }
      },
      { scope: 'worker' },
    ],
    site: [async ({ oidc }, use) => use(oidc), { scope: 'worker' }],
  });

/** Acme says at these addresses of its own that it is down; `next.instead = null` brings it up again. */
export function takeDown({ providers }: OidcSite, addresses: RegExp): void {
  providers.acme.next.instead = ({ url = '' }, response) => {
    if (!addresses.test(url)) return false;
    response.writeHead(503).end();
    return true;
  };
}

/** Calls the API from a page, by the session of whoever is signed in there; throws what was not a success. */
export async function orderFrom(
  page: Page,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const { status, answer } = await page.evaluate(
    async ([how, where, what]) => {
      const response = await fetch(where, {
        method: how,
        ...(what !== undefined && { headers: { 'content-type': 'application/json' }, body: what }),
      });
      return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  );
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}
