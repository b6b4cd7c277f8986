import type { RouteBody, RouteDefinition, RouteResult } from '@vestibule/contract/route';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import type { PasskeyRequired } from '@vestibule/contract/settings/rules';
import { verifyEmail } from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import {
  askForPasskey,
  startFirstPasskey,
  createFirstPasskey,
  signInWithPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import type { CreationOptions } from '@vestibule/contract/sign-in/web-authn';
import { closeAfterTests } from '../test-close.ts';
import { createTestApp } from '../test-app.ts';
import { createTestAuthenticator, type Deviation, type TestAuthenticator } from './test-authenticator.ts';
import { createTestBrowser, type TestBrowser } from './test-browser.ts';

export type PasskeySite = Awaited<ReturnType<typeof createPasskeySite>>;

type TestResponse<R extends RouteDefinition> = { status: number; body: RouteResult<R> & ErrorResponse };

export async function postAs<R extends RouteDefinition>(
  browser: TestBrowser,
  route: R,
  body: RouteBody<R> extends undefined ? undefined : object = {} as never,
  params: Record<string, string> = {},
): Promise<TestResponse<R>> {
  const url = route.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  const response = await browser.ask(
    route.method,
    url,
    route.method === 'GET' || !route.body ? {} : { body: body as object },
  );
  return { status: response.statusCode, body: response.json() };
}

export async function createPasskeySite(wanted: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp({
    ...wanted,
    environment: { SIGN_IN_WITH: 'passkeys,b2c', ...wanted.environment },
  });
  let people = 0;
  const newAddress = () => `person-${(people += 1)}@example.com`;
  const browser = () => createTestBrowser(t);

  async function signIn(
    page: TestBrowser,
    device: TestAuthenticator,
    wrong: Deviation = {},
  ): Promise<string> {
    const { body: options } = await postAs(page, askForPasskey);
    return end(await postAs(page, signInWithPasskey, { response: device.get(options, wrong) }));
  }

  async function createFirst(
    page: TestBrowser,
    device: TestAuthenticator,
    request: RouteBody<typeof startFirstPasskey>,
    wrong: Deviation = {},
  ): Promise<string> {
    const started = await postAs(page, startFirstPasskey, request);
    return started.status === 200 ? finishFirst(page, started.body, device, wrong) : started.body.code;
  }

  /** Creates the passkey of a started request. Returns the path that opens, or the error code. */
  const finishFirst = async (
    page: TestBrowser,
    { attempt, options }: { attempt: string; options: CreationOptions },
    device = createTestAuthenticator(),
    wrong: Deviation = {},
  ): Promise<string> =>
    end(await postAs(page, createFirstPasskey, { attempt, response: device.create(options, wrong) }));

  const mailOf = t.signInMailOf;
  const codeOf = t.signInCodeOf;

  async function submitCode(page: TestBrowser, attempt: string, code: string) {
    return postAs(page, verifyEmail, { attempt, code });
  }

  return {
    t,
    newAddress,
    browser,
    signIn,
    createFirst,
    finishFirst,
    mailOf,
    codeOf,
    submitCode,
    async enterCode(page: TestBrowser, request: RouteBody<typeof requestCode>) {
      const { body } = await postAs(page, requestCode, request);
      return {
        attempt: body.attempt,
        ...(await submitCode(page, body.attempt, (await codeOf(body.attempt)) ?? '000000')),
      };
    },
    async join(role: 'member' | 'admin' = 'member', device = createTestAuthenticator()) {
      const email = newAddress();
      const { code } = await t.invitationTo(email);
      const page = browser();
      const ended = await createFirst(page, device, { invitation: code, name: 'Ann' });
      if (!ended.startsWith('/')) throw new Error(ended);
      const id = await t.scalar<string>`select id from people where email = ${email}`;
      if (role === 'admin') await t.select`update people set role = 'admin' where id = ${id}`;
      return { id, email, device, browser: page };
    },
    async withSettings(
      settings: { passkeyRequired?: PasskeyRequired; codeBeforePasskey?: boolean },
      act: () => Promise<void>,
    ) {
      for (const [name, value] of Object.entries(settings))
        await t.select`
          insert into settings (name, value, version, changed_at, changed_by)
          values (${name}, ${JSON.stringify(value)}, 1, now(), 'a test')`;
      t.settings.invalidate();
      try {
        await act();
      } finally {
        await t.select`delete from settings where name = any(${Object.keys(settings)})`;
        t.settings.invalidate();
      }
    },
    close: () => t.close(),
  };
}

/** Creates a site for all tests of the file. */
export const setUpPasskeySite = async (wanted?: Parameters<typeof createTestApp>[0]) =>
  closeAfterTests(await createPasskeySite(wanted));

const end = ({ body }: { body: { returnTo?: string } & Partial<ErrorResponse> }): string =>
  body.returnTo ?? (body.code as string);
