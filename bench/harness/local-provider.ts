/**
 * Minimal identity provider: B2C-like metadata and access tokens, and an OpenID Provider. The server is configured with the
 * variables of a real provider, so that production code is measured.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';

const tenant = 'bench';
const clientId = '00000000-0000-4000-8000-000000000001';
const policy = 'B2C_1A_SignIn';

export type LocalProvider = Awaited<ReturnType<typeof startLocalProvider>>;

export async function startLocalProvider({ responseDelayMs = 0 }: { responseDelayMs?: number } = {}) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' };
  const idTokens = new Map<string, string>();
  /** Claims for the next authorization request, which is approved without a prompt. */
  let nextUser: JWTPayload & { sub: string } = { sub: '' };
  const server = createServer((request, response) => {
    if (responseDelayMs === 0) respond(request, response);
    else setTimeout(() => respond(request, response), responseDelayMs);
  });
  function respond(request: IncomingMessage, response: ServerResponse): void {
    const send = (json: object) =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify(json));
    const { pathname, searchParams } = new URL(request.url ?? '', address);
    if (pathname === '/keys') return send({ keys: [key] });
    if (pathname.startsWith('/oidc/.well-known')) return send(oidcMetadata());
    if (pathname === '/oidc/authorize') return void authorize(searchParams, response);
    if (pathname !== '/oidc/token') return send({ issuer, jwks_uri: `${address}/keys` });
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const code = new URLSearchParams(body).get('code') ?? '';
      send({ access_token: 'nothing', token_type: 'Bearer', expires_in: 300, id_token: idTokens.get(code) });
    });
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${address}/${tenant}/v2.0/`;
  const oidcIssuer = `${address}/oidc`;
  const oidcMetadata = () => ({
    issuer: oidcIssuer,
    authorization_endpoint: `${oidcIssuer}/authorize`,
    token_endpoint: `${oidcIssuer}/token`,
    jwks_uri: `${address}/keys`,
    id_token_signing_alg_values_supported: ['RS256'],
  });

  async function prepareCode(
    code: string,
    claims: JWTPayload & { sub: string; nonce: string },
  ): Promise<void> {
    const idToken = await new SignJWT({ email: 'user@example.com', email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .setIssuer(oidcIssuer)
      .setAudience(clientId)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
    idTokens.set(code, idToken);
  }

  async function authorize(parameters: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = randomUUID();
    await prepareCode(code, { ...nextUser, nonce: parameters.get('nonce') ?? '' });
    const callbackUrl = new URL(parameters.get('redirect_uri') ?? '');
    callbackUrl.search = new URLSearchParams({ code, state: parameters.get('state') ?? '' }).toString();
    response.writeHead(303, { location: callbackUrl.href }).end();
  }

  return {
    issuer,
    environment: {
      AUTH_BASE_URL: address,
      TENANT_NAME: tenant,
      CLIENT_ID: clientId,
      API_SCOPES: `https://${tenant}.onmicrosoft.com/api/access`,
      SIGN_IN_POLICY: policy,
      SIGN_UP_POLICY: 'B2C_1A_SignUp_Invitation',
      RESET_PASSWORD_POLICY: 'B2C_1A_PasswordReset',
      SIGN_IN_WITH: 'b2c,oidc,passkeys',
      // Lets tests send X-Forwarded-For, so that rate limits per address are not reached.
      TRUST_PROXY: '127.0.0.1',
      OIDC_PROVIDERS: 'bench',
      OIDC_BENCH_ISSUER: oidcIssuer,
      OIDC_BENCH_CLIENT_ID: clientId,
      OIDC_BENCH_CLIENT_SECRET: 'a secret of the bench',
    },
    oidcIssuer,
    prepareCode,
    setNextUser: (claims: JWTPayload & { sub: string }) => void (nextUser = claims),
    issueToken(claims: JWTPayload & { sub: string }): Promise<string> {
      return new SignJWT({
        ver: '1.0',
        tfp: policy,
        scp: 'access',
        azp: clientId,
        name: 'Test User',
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(clientId)
        .setIssuedAt()
        .setNotBefore('0s')
        .setExpirationTime('1h')
        .sign(privateKey);
    },
    close: () => server.close(),
  };
}
