/** Cases of forward authentication in a real browser. */
import assert from 'node:assert/strict';
import { expect as expectNow, type Browser, type BrowserContext, type Page } from '@playwright/test';
import type { ProtectedSite, User } from './site.ts';

type Journey = [title: string, run: (site: ProtectedSite, browser: Browser) => Promise<void>];

const timeoutMs = 60_000;
const expect = expectNow.configure({ timeout: timeoutMs });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function inContext(browser: Browser, run: (context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(timeoutMs);
  try {
    await run(context);
  } finally {
    await context.close();
  }
}

/** Signs in on the login screen, by a mailed code. */
async function signIn(page: Page, site: ProtectedSite, { email }: User): Promise<void> {
  const before = await site.codeMails(email);
  await page.getByLabel('E-mail address').fill(email);
  await button(page, 'E-mail me a code').click();
  await page.getByLabel('Code').fill(await site.waitForCode(email, before));
  await button(page, 'Not now').click();
}

/** Sends a message by a WebSocket of the page. Returns the echo, or "refused". */
const echo = (page: Page, address: string): Promise<string> =>
  page.evaluate(
    (url) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url);
        socket.addEventListener('open', () => socket.send('hello'));
        socket.addEventListener('message', ({ data }) => resolve(String(data)));
        socket.addEventListener('error', () => resolve('refused'));
      }),
    `${address.replace('https:', 'wss:')}/echo`,
  );

const statusOfFetch = (page: Page, method = 'GET'): Promise<number> =>
  page.evaluate(async (used) => (await fetch('/headers', { method: used })).status, method);

/** A form in a page of the application. */
const submitForm = `
  document.body.insertAdjacentHTML('beforeend', '<form method="post" action="/headers"></form>');
  document.querySelector('form').submit();`;

export const journeys: Journey[] = [
  [
    'a deep link with query and fragment survives the sign-in; the second application needs none; WebSockets work; signing out ends both',
    (site, browser) =>
      inContext(browser, async (context) => {
        const { calendar, flows, portal } = site.addresses;
        const page = await context.newPage();
        const deepLink = `${flows}/headers?a=1&b=%2F%26&long=${'x'.repeat(600)}#part=2`;
        await page.goto(deepLink);
        await expect(page).toHaveURL(new RegExp(`^${portal}/`));
        await signIn(page, site, site.admin);
        await expect(page).toHaveURL(deepLink);
        await expect(page.locator('body')).toContainText(site.admin.email);

        const second = await context.newPage();
        await second.goto(`${calendar}/.web/#second`);
        await expect(second).toHaveURL(`${calendar}/.web/#second`);
        await expect(second).toHaveTitle('Radicale Web Interface');

        assert.equal(await echo(page, flows), 'hello');
        assert.equal(await echo(second, flows), 'refused');
        // The editor of Node-RED is an application with WebSockets.
        const editor = await context.newPage();
        const opened = editor.waitForEvent('websocket', (socket) => socket.url().endsWith('/comms'));
        await editor.goto(`${flows}/`);
        await (await opened).waitForEvent('framereceived');
        await editor.close();
        // A page of another application cannot read or send by fetch.
        const fetchFrom = (method: string) =>
          second.evaluate(
            ([url = '', used = '']) =>
              fetch(url, { method: used, credentials: 'include' }).then(String, () => 'refused'),
            [`${flows}/headers`, method],
          );
        assert.equal(await fetchFrom('GET'), 'refused');
        assert.equal(await fetchFrom('PUT'), 'refused');
        assert.equal(await statusOfFetch(page), 200);

        await second.goto(`${calendar}/.vestibule/sign-out`);
        await button(second, 'Sign out').click();
        await expect(second).toHaveURL(new RegExp(`^${portal}/`));
        assert.equal(await statusOfFetch(page), 401);
        assert.equal(await statusOfFetch(page, 'POST'), 401);
        assert.equal(await echo(page, flows), 'refused');
        // A form is answered with 401 instead of a redirect, so that the user can go back to it.
        const submitted = page.waitForResponse(`${flows}/headers`);
        await Promise.all([page.waitForURL(`${flows}/headers`), page.evaluate(submitForm)]);
        assert.equal((await submitted).status(), 401);
        await page.goto(`${calendar}/.web/`);
        await expect(page).toHaveURL(new RegExp(`^${portal}/`));
      }),
  ],
  [
    'two tabs that sign in at the same time both arrive',
    (site, browser) =>
      inContext(browser, async (context) => {
        const { calendar, flows } = site.addresses;
        const [first, second] = [await context.newPage(), await context.newPage()];
        await Promise.all([first.goto(`${flows}/headers?tab=1`), second.goto(`${calendar}/.web/#tab2`)]);
        await signIn(first, site, site.admin);
        await expect(first).toHaveURL(`${flows}/headers?tab=1`);
        // Without an action of the user.
        await expect(second).toHaveURL(`${calendar}/.web/#tab2`);
        // Now there is a session of the site, but no cookie of the application.
        await context.clearCookies({ name: '__Host-vestibule-application' });
        const paths = [1, 2, 3].map((number) => `${flows}/headers?parallel=${number}`);
        const tabs = await Promise.all(paths.map(() => context.newPage()));
        await Promise.all(tabs.map((tab, index) => tab.goto(paths[index] ?? '')));
        assert.deepEqual(
          tabs.map((tab) => tab.url()),
          paths,
        );
      }),
  ],
];
