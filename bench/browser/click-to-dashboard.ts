/**
 * Measures the time from the last user action of a sign-in to the rendered dashboard, in Chromium on a desktop and on an emulated
 * slow phone, with an empty cache.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser, type Page } from '@playwright/test';
import { waitForCode, startPasskeysSite, type PasskeysSite } from '../../e2e/fixtures/passkeys-site.ts';
import { createPerson, startSite } from '../../e2e/fixtures/site.ts';
import { addAuthenticator } from '../../e2e/fixtures/virtual-authenticator.ts';
import { browserLaunch } from '../../tools/browser.ts';
import { median, printFigures, type Figure } from '../report/figure.ts';
import { isTrial } from '../report/options.ts';
import { startLocalProvider } from '../harness/local-provider.ts';
import { phoneScreen, slowDown } from '../harness/slow-phone.ts';

const rounds = isTrial ? 1 : 3;
/** Delay between opening the page and the last action. */
const readingMs = 2_000;
const providerDelayMs = 50;

/** Sign-in method to measure. `open` prepares the page and returns the last action. */
type SignInCase = { name: string; open: (page: Page) => Promise<() => Promise<void>> };

const devices = [
  {
    name: 'desktop',
    limitSeconds: 0.8,
    context: { viewport: { width: 1280, height: 800 } },
    slowDown: () => Promise.resolve(),
  },
  {
    name: 'slow phone',
    limitSeconds: 2.5,
    context: phoneScreen,
    slowDown,
  },
];

export async function measureClickToDashboard(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const provider = await startLocalProvider({ responseDelayMs: providerDelayMs });
  cleanup.defer(() => void provider.close());
  const b2cSite = await startSite();
  cleanup.defer(() => b2cSite.stop());
  const passkeysSite = await startPasskeysSite({ ...provider.environment, SIGN_IN_WITH: 'oidc,passkeys' });
  cleanup.defer(() => passkeysSite.stop());
  const browser = await chromium.launch(await browserLaunch());
  cleanup.defer(() => browser.close());

  const figures: Figure[] = [];
  for (const signIn of [
    await createB2cSignIn(b2cSite),
    await createProviderSignIn(passkeysSite, provider),
    createPasskeySignIn(passkeysSite),
    createCodeSignIn(passkeysSite),
  ])
    for (const device of devices) {
      const durationsMs: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        durationsMs.push(await measureSignIn(browser, device, signIn));
      figures.push({
        name: `${signIn.name}, ${device.name}`,
        measured: median(durationsMs) / 1000,
        unit: 's',
        limit: { at: 'most', value: device.limitSeconds },
      });
    }
  return figures;
}

async function createB2cSignIn(site: Awaited<ReturnType<typeof startSite>>): Promise<SignInCase> {
  const person = createPerson();
  await site.signUp(person, (await site.invite(person.email)).link);
  return {
    name: 'B2C, from the button of its sign-in page',
    async open(page) {
      await page.goto(site.url);
      await page.locator('#email').fill(person.email);
      await page.locator('#password').fill(person.password);
      return () => page.locator('#next').click();
    },
  };
}

async function createProviderSignIn(
  site: PasskeysSite,
  provider: Awaited<ReturnType<typeof startLocalProvider>>,
): Promise<SignInCase> {
  const invited = await site.createInvitee();
  const subject = `sub of ${invited.email}`;
  provider.setNextUser({ sub: subject, email: invited.email, email_verified: true, name: invited.name });
  let link = invited.link;
  return {
    name: `OpenID Provider that answers in ${providerDelayMs} ms`,
    async open(page) {
      // The first sign-in uses the invitation, later ones the login screen.
      await page.goto(link);
      link = site.url;
      const button = page.getByRole('button', { name: `Continue with Bench`, exact: true });
      await button.waitFor();
      return () => button.click();
    },
  };
}

function createPasskeySignIn(site: PasskeysSite): SignInCase {
  return {
    name: 'invitation, from "Continue with a passkey"',
    async open(page) {
      const { link, name } = await site.createInvitee();
      await addAuthenticator(page);
      await page.goto(link);
      await page.getByLabel('Your name').fill(name);
      return () => page.getByRole('button', { name: 'Continue with a passkey', exact: true }).click();
    },
  };
}

function createCodeSignIn(site: PasskeysSite): SignInCase {
  return {
    name: 'invitation, from the last digit of a mailed code',
    async open(page) {
      const { link, email } = await site.createInvitee();
      // Without passkey support the code is the last step.
      await page.addInitScript('delete globalThis.PublicKeyCredential');
      await page.goto(link);
      await page.getByRole('button', { name: 'E-mail me a code', exact: true }).click();
      const field = page.getByLabel('Code');
      await field.waitFor();
      const code = await waitForCode(site, email);
      await field.pressSequentially(code.slice(0, -1));
      return () => field.press(code.slice(-1));
    },
  };
}

async function measureSignIn(
  browser: Browser,
  device: (typeof devices)[number],
  signIn: SignInCase,
): Promise<number> {
  const context = await browser.newContext(device.context);
  try {
    let submittedAt = Number.NaN;
    let shownAt = (_at: number): void => {};
    const shown = new Promise<number>((resolve) => (shownAt = resolve));
    await context.exposeFunction('reportPress', (at: number) => (submittedAt = at));
    await context.exposeFunction('reportDashboard', (at: number) => shownAt(at));
    await context.addInitScript(pageScript);
    const page = await context.newPage();
    await device.slowDown(context, page);
    const submit = await signIn.open(page);
    await delay(readingMs);
    await submit();
    const at = await Promise.race([shown, delay(30_000, null, { ref: false })]);
    if (at === null) throw new Error(`${signIn.name}: no dashboard within 30 s, but ${page.url()}`);
    return at - submittedAt;
  } finally {
    await context.close();
  }
}

/** Runs in every page. Reports trusted clicks and input, and the first frame of the dashboard without skeletons. */
const pageScript = `
  for (const kind of ['click', 'input'])
    addEventListener(kind, (event) => event.isTrusted && reportPress(Date.now()), true);
  let isShown = false;
  new MutationObserver(() => {
    const title = document.querySelector('main h1');
    if (isShown || !title?.textContent.startsWith('Welcome') || document.querySelector('main .skeleton')) return;
    isShown = true;
    requestAnimationFrame(() => setTimeout(() => reportDashboard(Date.now())));
  }).observe(document, { childList: true, subtree: true });`;

if (import.meta.main) printFigures(await measureClickToDashboard());
