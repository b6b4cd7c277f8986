/** Browser without pages: stores cookies of the application and the provider, and follows redirects. */
import type { LightMyRequestResponse } from 'fastify';
import type { RouteBody } from '@vestibule/contract/route';
import { startSignIn, verifyEmail, type SignInOutcome } from '@vestibule/contract/sign-in';
import type { TestApp } from '../test-app.ts';

export type TestBrowser = ReturnType<typeof createTestBrowser>;

export const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

let browsers = 0;

export function createTestBrowser(
  t: Pick<TestApp, 'app' | 'config'>,
  userAgent = 'Mozilla/5.0 Firefox/151.0',
) {
  const appCookies = new Map<string, string>();
  const providerCookies = new Map<string, string>();
  const { publicUrl } = t.config;
  const remoteAddress = `10.1.${(browsers += 1) >> 8}.${browsers & 255}`;
  const header = (jar: Map<string, string>) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

  function storeCookies(jar: Map<string, string>, lines: string | string[] | undefined): void {
    for (const line of [lines ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(line) || value === '') jar.delete(name);
      else jar.set(name, value);
    }
  }

  async function ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    { body, headers = {} }: { body?: object | string; headers?: Record<string, string> } = {},
  ): Promise<LightMyRequestResponse> {
    const response = await t.app.inject({
      method,
      url,
      remoteAddress,
      headers: {
        'user-agent': userAgent,
        'sec-fetch-site': 'same-origin',
        ...(appCookies.size > 0 && { cookie: header(appCookies) }),
        ...headers,
      },
      ...(body !== undefined && { payload: body }),
    });
    storeCookies(appCookies, response.headers['set-cookie']);
    return response;
  }

  /** Follows redirects at the provider; returns the path and query at which it returns to the application. */
  async function visitProvider(address: string): Promise<string> {
    let url = address;
    for (let step = 0; step < 10; step += 1) {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: header(providerCookies), 'user-agent': userAgent },
      });
      storeCookies(providerCookies, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      url = new URL(location, url).href;
      if (url.startsWith(publicUrl)) return url.slice(publicUrl.length);
    }
    throw new Error('the provider redirects endlessly');
  }

  const start = async (body: RouteBody<typeof startSignIn>): Promise<string> => {
    const response = await ask('POST', startSignIn.path, { body });
    if (response.statusCode !== 200) throw new Error(response.payload);
    return response.json<{ url: string }>().url;
  };

  const attemptOf = (path: string) => new URL(path, publicUrl).searchParams.get('attempt') ?? '';

  /** Visits the provider and the callback. Returns the path to which the callback redirects. */
  const finish = async (url: string): Promise<string> =>
    String((await ask('GET', await visitProvider(url))).headers.location);

  return {
    cookies: appCookies,
    ask,
    start,
    visitProvider,
    finish,
    signIn: async (body: RouteBody<typeof startSignIn> = {}) => finish(await start(body)),
    attemptOf,
    async outcome(path: string): Promise<SignInOutcome> {
      return (await ask('GET', `/api/sign-in/outcome?attempt=${attemptOf(path)}`)).json<SignInOutcome>();
    },
    /** Enters a mailed code. Returns the path that opens, or the error code. */
    async enterCode(attempt: string, code: string): Promise<string> {
      const response = await ask('POST', verifyEmail.path, { body: { attempt, code } });
      const { returnTo, code: problem } = response.json<{ returnTo?: string; code?: string }>();
      return returnTo ?? (problem as string);
    },
    async whoAmI(): Promise<string> {
      const body = (await ask('GET', '/api/users/me')).json<{ Email?: string; code?: string }>();
      return body.Email ?? (body.code as string);
    },
    forgetProvider: () => providerCookies.clear(),
  };
}
