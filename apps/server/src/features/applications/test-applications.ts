/** Site with protected applications behind a proxy, and browsers with cookies per host. */
import { createApplication, type AccessEntry } from '@vestibule/contract/applications';
import type { LightMyRequestResponse } from 'fastify';
import { createTestSession } from '../../test/sign-in/test-session.ts';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import { createOrganizationSite } from '../organizations/test-organizations.ts';

export const proxyAddress = '192.0.2.10';

const applicationEnvironment = {
  TRUST_PROXY: proxyAddress,
  SIGN_IN_WITH: 'oidc,b2c',
  OIDC_PROVIDERS: 'acme',
  OIDC_ACME_ISSUER: 'https://login.acme.example',
  OIDC_ACME_CLIENT_ID: 'vestibule',
  OIDC_ACME_CLIENT_SECRET: 'a secret',
};

export const pageHeaders = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };

export async function createApplicationSite(environment: Record<string, string> = applicationEnvironment) {
  const site = await createOrganizationSite({ environment });
  const { t, admin } = site;
  let hosts = 0;
  return {
    ...site,
    register: async (
      access: AccessEntry[] = [{ kind: 'everyone' }],
      address = `https://app${(hosts += 1)}.example.com`,
    ) => {
      const body = { name: 'Wiki', address, access };
      const response = await t.callAs(admin, createApplication, { body });
      if (response.status !== 200) throw new Error(response.text);
      return response.body;
    },
    /** Signs a browser in at an application. */
    signedIn: async (person: Pick<TestPerson, 'id'>, address: string) => {
      const opened = await createBrowser(t, person);
      const { response } = await opened.open(`${address}/`);
      if (response?.statusCode !== 200) throw new Error(`${response?.statusCode} ${response?.payload}`);
      return opened;
    },
    browser: (person?: Pick<TestPerson, 'id'>) => createBrowser(t, person),
    close: () => t.close(),
  };
}

export type Browser = Awaited<ReturnType<typeof createBrowser>>;

const defined = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** Asks as Caddy and Traefik do. */
export const askProxy = (
  t: TestApp,
  url: string,
  headers: Record<string, string | undefined> = {},
  { path = '/forward-auth', remoteAddress = proxyAddress } = {},
): Promise<LightMyRequestResponse> => {
  const { protocol, host, pathname, search } = new URL(url);
  const forwarded = {
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    'x-forwarded-uri': pathname + search,
    'x-forwarded-method': 'GET',
  };
  return t.app.inject({
    url: path,
    remoteAddress,
    headers: defined({ ...forwarded, ...headers }),
  });
};

/** Browser with the session of a person, which opens applications through a proxy. */
async function createBrowser(t: TestApp, person?: Pick<TestPerson, 'id'>) {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (host: string) => jars.get(host) ?? jars.set(host, new Map()).get(host)!;
  const portal = new URL(t.config.publicUrl).host;
  if (person) {
    const { cookie } = await createTestSession(t, person);
    const [name = '', value = ''] = cookie.split('=');
    jarOf(portal).set(name, value);
  }
  const cookieOf = (host: string) => [...jarOf(host)].map(([name, value]) => `${name}=${value}`).join('; ');

  /** Requests an address of the portal, or of the reserved path or another path of an application. */
  async function get(
    url: string,
    headers: Record<string, string | undefined> = {},
  ): Promise<LightMyRequestResponse> {
    const { protocol, host, pathname, search } = new URL(url);
    const sent = { ...pageHeaders, ...(cookieOf(host) && { cookie: cookieOf(host) }), ...headers };
    const response =
      host === portal
        ? await t.app.inject({ url: pathname + search, headers: defined(sent) })
        : pathname.startsWith('/.vestibule/')
          ? await t.app.inject({
              url: pathname + search,
              remoteAddress: proxyAddress,
              headers: defined({
                'x-forwarded-proto': protocol.slice(0, -1),
                'x-forwarded-host': host,
                ...sent,
              }),
            })
          : await askProxy(t, url, sent);
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) jarOf(host).delete(name);
      else jarOf(host).set(name, value);
    }
    return response;
  }

  /** Follows redirects, up to a response that is none, or before an address that `until` matches. Returns its address too. */
  async function open(
    url: string,
    until = /^$/,
  ): Promise<{ url: string; response: LightMyRequestResponse | null }> {
    for (let step = 0; step < 10; step += 1) {
      if (until.test(url)) return { url, response: null };
      const response = await get(url);
      if (response.statusCode !== 302) return { url, response };
      // Browsers keep the fragment if the new address has none.
      const next = new URL(String(response.headers.location), url);
      next.hash ||= new URL(url).hash;
      url = next.href;
    }
    throw new Error(`endless redirects at ${url}`);
  }

  return { get, open, cookieOf, jarOf };
}
