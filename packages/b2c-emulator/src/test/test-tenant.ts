/**
 * A tenant for tests: policies, a client, accounts, an adjustable clock, a mailbox, and requests like MSAL's.
 */
import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, type CryptoKey, type JWK } from 'jose';
import { createB2cEmulator, type EmulatorConfig, type EmulatorDependencies } from '../b2c-emulator.ts';
import type { TenantMail } from '../tenant/tenant.ts';
import { createTestBrowser, pkcePair, type TestBrowser, type Visit } from './test-browser.ts';

export const origin = 'http://localhost:3001';
export const tenantAddress = `${origin}/vestibule.onmicrosoft.com`;
export const clientId = '4f0f5b6e-9f60-4c4e-8f0a-0d4d8f2b7a11';
const redirectUri = 'http://localhost:3000/';
export const apiScope = 'https://vestibule.onmicrosoft.com/api/access';
export const anna = { email: 'Anna@example.com', password: 'Correct-Horse-1', displayName: 'Anna Berg' };
export const ben = { email: 'ben@example.com', password: 'Battery-Staple-2', displayName: 'Ben Karlsson' };

export const testConfig: EmulatorConfig = {
  tenant: 'vestibule',
  tenantId: '11111111-2222-4333-8444-555555555555',
  policies: {
    B2C_1A_SignIn: 'sign-in',
    B2C_1A_SignUp: 'sign-up',
    B2C_1A_PasswordReset: 'reset-password',
  },
  clients: [
    {
      clientId,
      redirectUris: [redirectUri, 'https://app.example/callback?keep=1'],
      postLogoutRedirectUris: ['http://localhost:3000/'],
      scopes: [apiScope, 'https://vestibule.onmicrosoft.com/api/admin'],
    },
    { clientId: 'other-client', redirectUris: ['http://localhost:4000/'], scopes: [] },
  ],
  hintIssuer: { metadataUrl: 'http://127.0.0.1:9/', issuer: 'http://localhost:3000/', audience: clientId },
  people: [anna, ben],
  port: 3001,
};

/** Keys of the first tenant and of the first issuer of hints, shared by the others of the worker. */
let tenantKey: JWK | undefined;
let hintKeys: KeyPairKeyObjectResult | undefined;

export type TestTenant = Awaited<ReturnType<typeof openTestTenant>>;

/** The caller must close the tenant. */
export async function openTestTenant({
  brand,
  sendMail,
  ...overrides
}: Partial<EmulatorConfig & Pick<EmulatorDependencies, 'brand' | 'sendMail'>> = {}) {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const mails: TenantMail[] = [];
  const logLines: string[] = [];
  const { app, tenant } = await createB2cEmulator(
    { ...testConfig, ...overrides },
    {
      sendMail: sendMail ?? (async (mail) => void mails.push(mail)),
      ...(brand && { brand }),
      now: () => clock.now,
      log: (line) => void logLines.push(line),
      passwordCost: 2 ** 8,
      privateJwk: overrides.databaseFile === undefined ? tenantKey : undefined,
    },
  );
  tenantKey ??= tenant.store.privateJwk;
  return {
    app,
    tenant,
    clock,
    mails,
    logLines,
    passSeconds: (seconds: number) => {
      clock.now += seconds * 1000;
    },
    browser: () => createTestBrowser(app, tenant.publicUrl),
    close: () => app.close(),
  };
}

/** Builds an authorize request like MSAL's. */
export function authorizeRequest(policy: string, parameters: Record<string, string> = {}) {
  const { verifier, challenge } = pkcePair();
  const search = new URLSearchParams({
    client_id: clientId,
    scope: 'offline_access openid profile',
    redirect_uri: redirectUri,
    response_mode: 'fragment',
    response_type: 'code',
    client_info: '1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    nonce: 'nonce-1',
    state: 'state-1',
    ...parameters,
  });
  for (const [name, value] of Object.entries(parameters)) if (value === '') search.delete(name);
  return { url: `${tenantAddress}/${policy}/oauth2/v2.0/authorize?${search.toString()}`, verifier };
}

export type TokenResponse = {
  status: number;
  headers: Record<string, unknown>;
  body: {
    id_token?: string;
    access_token?: string;
    refresh_token?: string;
    client_info?: string;
    scope?: string;
    expires_in?: number;
    refresh_token_expires_in?: number;
    error?: string;
    error_description?: string;
  };
};

export async function postToken(
  { app }: TestTenant,
  policy: string,
  parameters: Record<string, string>,
): Promise<TokenResponse> {
  const response = await app.inject({
    method: 'POST',
    url: `/vestibule.onmicrosoft.com/${policy}/oauth2/v2.0/token`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded;charset=utf-8',
      origin: 'http://localhost:3000',
    },
    payload: new URLSearchParams(parameters).toString(),
  });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
}

/** Redeems the code of a browser's response. */
export function redeemCode(
  test: TestTenant,
  policy: string,
  visit: Visit,
  verifier: string,
  overrides: Record<string, string> = {},
): Promise<TokenResponse> {
  return postToken(test, policy, {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code: visit.response.get('code') ?? '',
    code_verifier: verifier,
    ...overrides,
  });
}

export function refresh(
  test: TestTenant,
  policy: string,
  refreshToken: string,
  overrides: Record<string, string> = {},
): Promise<TokenResponse> {
  return postToken(test, policy, {
    grant_type: 'refresh_token',
    client_id: clientId,
    scope: `${apiScope} openid profile offline_access`,
    refresh_token: refreshToken,
    ...overrides,
  });
}

/** Signs in on the page and redeems the code. */
export async function signInWithTokens(test: TestTenant, browser: TestBrowser, person = anna) {
  const { url, verifier } = authorizeRequest('b2c_1a_signin', { prompt: 'login' });
  const page = await browser.get(url);
  const back = await browser.submit(page, 'next', { email: person.email, password: person.password });
  const tokens = await redeemCode(test, 'b2c_1a_signin', back, verifier);
  return { back, verifier, tokens: tokens.body };
}

/** Starts an application that publishes its keys and signs hints. */
export async function startHintIssuer(now: () => number) {
  let pair = (hintKeys ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
  let kid = 'key-1';
  let isDown = false;
  let fetches = 0;
  const server = createServer((request, response) => {
    fetches += 1;
    if (isDown) return response.writeHead(503).end();
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/keys') return response.end(JSON.stringify({ jwks_uri: `${address()}/keys` }));
    void exportJWK(pair.publicKey).then((jwk) =>
      response.end(JSON.stringify({ keys: [{ ...jwk, kid, use: 'sig' }] })),
    );
    return response;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    config: { metadataUrl: `${address()}/metadata`, issuer: 'http://localhost:3000/', audience: clientId },
    get fetches() {
      return fetches;
    },
    setDown: (down: boolean) => {
      isDown = down;
    },
    rotate(): void {
      pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
      kid = 'key-2';
    },
    /** Signs a hint. A claim set to undefined is left out. */
    async sign(
      overrides: Record<string, unknown> = {},
      key: CryptoKey | KeyObject = pair.privateKey,
      alg = 'RS256',
    ): Promise<string> {
      const seconds = Math.floor(now() / 1000);
      return new SignJWT({
        iss: 'http://localhost:3000/',
        aud: clientId,
        sub: 'invitation-1',
        jti: 'hint-1',
        email: 'Zoe@example.com',
        name: 'Zoe Lindt',
        nbf: seconds,
        exp: seconds + 600,
        ...overrides,
      })
        .setProtectedHeader({ alg, kid })
        .sign(key);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
