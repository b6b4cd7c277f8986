/**
 * A site without any identity provider (M7, M8): people come in with passkeys, or with codes by e-mail. Its administrator comes in
 * without a browser, by a code, and does by the API what a journey needs.
 */
import { expect, expectDashboard, test as base, type Page } from './journey.ts';
import { openSite, somebody, type Person } from './running-site.ts';
import { removeDataDirectory, spawnServer, type Environment } from './start-server.ts';
import { addAuthenticator, type Authenticator } from './virtual-authenticator.ts';

export type PasskeysSite = Awaited<ReturnType<typeof startPasskeysSite>>;
export type Invited = Person & { link: string };

/** What journeys press. */
export const makeIt = 'Continue with a passkey';
export const useIt = 'Sign in with a passkey';
export const mailMe = 'Mail me a code';

/** Starts the site, with its administrator inside. */
async function startPasskeysSite(env: Environment = {}) {
  const server = await spawnServer({ env: { SIGN_IN_WITH: 'passkeys', ...env } });
  const stop = async () => {
    await server.stop();
    await removeDataDirectory(server.dataDirectory);
  };
  try {
    await server.ready();
    const site = await openSite(server);
    const { administrator } = site;
    const cookies = new Map<string, string>();

    /** Calls the API as the administrator's browser does; throws what was not a success. */
    async function order(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
      const response = await fetch(site.url + path, {
        method,
        headers: {
          origin: site.url,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.status !== 200)
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    }

    const invitation = new URL(site.firstLink()).searchParams.get('i');
    const { name } = administrator;
    const { attempt } = await order('POST', '/api/sign-in/code', { invitation, name });
    await order('POST', '/api/sign-in/proof', { attempt, code: await newestCode(site, administrator.email) });

    return {
      ...site,
      order,
      stop,

      /** Somebody with an open invitation. */
      async invited(personName = 'Ann Other', role: 'member' | 'admin' = 'member'): Promise<Invited> {
        const person = somebody(personName);
        const { id } = await order('POST', '/api/invitations', { email: person.email, role });
        const { link } = await order('POST', `/api/invitations/${String(id)}/link`);
        return { ...person, link: String(link) };
      },

      async idOf({ email }: Pick<Person, 'email'>): Promise<string> {
        const { rows } = await order('GET', `/api/people?search=${encodeURIComponent(email)}`);
        return (rows as { id: string }[])[0]?.id ?? '';
      },

      /** Opens a screen as the administrator. */
      async enter(page: Page, address: string): Promise<void> {
        await page.context().addCookies(
          [...cookies].map(([cookie, value]) => ({
            name: cookie,
            value,
            url: site.url.replace('http:', 'https:'),
            httpOnly: true,
            secure: true,
            sameSite: 'Lax' as const,
          })),
        );
        await page.goto(address);
      },

      /** Changes a setting; null takes it back. */
      async set(setting: string, value: unknown): Promise<void> {
        const settings = await order('GET', '/api/settings');
        const { version } = settings[setting] as { version: number };
        await order('PATCH', '/api/settings', { [setting]: value, versions: { [setting]: version } });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The code in the newest mail to somebody; with `after`, in one that came after that many. */
export async function newestCode(
  site: Pick<PasskeysSite, 'mailsTo'>,
  email: string,
  after = 0,
): Promise<string> {
  return (await codeMails(site, email, after))[0]?.code ?? '';
}

/** The link in the newest mail with a code. */
export async function newestCodeLink(site: Pick<PasskeysSite, 'mailsTo'>, email: string): Promise<string> {
  return (await codeMails(site, email))[0]?.link ?? '';
}

async function codeMails(site: Pick<PasskeysSite, 'mailsTo'>, email: string, after = 0) {
  let found: { code: string; link: string }[] = [];
  await expect
    .poll(async () => {
      found = (await site.mailsTo(email)).flatMap(({ subject, text }) => {
        const code = /^\d{6}\b/.exec(subject)?.[0];
        const link = /https?:\/\/\S+\/login\?\S+/.exec(text)?.[0] ?? '';
        return code === undefined ? [] : [{ code, link }];
      });
      return found.length;
    })
    .toBeGreaterThan(after);
  return found;
}

/** `test` for journeys on such a site, one for each worker; `authenticator` is a device of the page's. */
export const test = base.extend<
  { nobodyYet: void; authenticator: Authenticator },
  { passkeys: PasskeysSite }
>({
  nobodyYet: [
    async ({ expectConsole }, use) => {
      expectConsole(/status of 401 .*\/api\//, 'the page asks who is signed in, and is told that nobody is');
      await use();
    },
    { auto: true },
  ],
  authenticator: async ({ page }, use) => use(await addAuthenticator(page)),
  passkeys: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
    async ({}, use) => {
      const passkeys = await startPasskeysSite();
      await use(passkeys);
      try {
        expect(await passkeys.leakedSecrets()).toEqual([]);
      } finally {
        await passkeys.stop();
      }
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  site: [async ({ passkeys }, use) => use(passkeys), { scope: 'worker' }],
});

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** What a step says went wrong. */
export const trouble = (page: Page) => page.locator('.login-panel').getByRole('alert');

/** Accepts an invitation with a passkey of the page's device; the person is on their dashboard then. */
export async function comeIn(page: Page, person: Invited): Promise<void> {
  await page.goto(person.link);
  await page.getByLabel('Your name').fill(person.name);
  await button(page, makeIt).click();
  await expectDashboard(page, person);
}

/** Enters the code of the newest mail. */
export async function enterCode(page: Page, site: PasskeysSite, email: string, after = 0): Promise<void> {
  await page.getByLabel('Code').fill(await newestCode(site, email, after));
}

/** Signs in by a code; whoever has no passkey here is offered one then. */
export async function signInByCode(page: Page, site: PasskeysSite, email: string): Promise<void> {
  const before = (await site.mailsTo(email)).filter(({ subject }) => /^\d{6}\b/.test(subject)).length;
  await page.goto('/');
  await page.getByLabel('E-mail address').fill(email);
  await button(page, mailMe).click();
  await enterCode(page, site, email, before);
}

/** The browser forgets the session; what its device keeps stays. */
export async function forgetSession(page: Page): Promise<void> {
  await page.context().clearCookies({ name: '__Host-vestibule' });
}
