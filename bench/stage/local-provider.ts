/**
 * A sign-in service just large enough to be trusted: metadata and one key on a local address. The server is told of
 * it by the variables of a real provider, so that what is measured is what runs in production.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';

const tenant = 'bench';
const clientId = '00000000-0000-4000-8000-000000000001';
const policy = 'B2C_1A_SignIn';

export type LocalProvider = Awaited<ReturnType<typeof startLocalProvider>>;

export async function startLocalProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' };
  /** Id tokens by the codes that they are given for. */
  const idTokens = new Map<string, string>();
  const server = createServer((request, response) => {
    const send = (answer: object) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    if (request.url === '/keys') return send({ keys: [key] });
    if (request.url?.startsWith('/oidc/.well-known')) return send(oidcMetadata());
    if (request.url !== '/oidc/token') return send({ issuer, jwks_uri: `${address}/keys` });
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    return request.on('end', () => {
      const code = new URLSearchParams(body).get('code') ?? '';
      send({ access_token: 'nothing', token_type: 'Bearer', expires_in: 300, id_token: idTokens.get(code) });
    });
  });
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

  return {
    issuer,
    /** Environment variables that make the server trust this provider. */
    environment: {
      AUTH_BASE_URL: address,
      TENANT_NAME: tenant,
      CLIENT_ID: clientId,
      API_SCOPES: `https://${tenant}.onmicrosoft.com/api/access`,
      SIGN_IN_POLICY: policy,
      SIGN_UP_POLICY: 'B2C_1A_SignUp_Invitation',
      RESET_PASSWORD_POLICY: 'B2C_1A_PasswordReset',
      SIGN_IN_WITH: 'b2c,oidc,passkeys',
      // Of one machine, callers from many networks.
      TRUST_PROXY: '127.0.0.1',
      OIDC_PROVIDERS: 'bench',
      OIDC_BENCH_ISSUER: oidcIssuer,
      OIDC_BENCH_CLIENT_ID: clientId,
      OIDC_BENCH_CLIENT_SECRET: 'a secret of the bench',
    },
    /** The same address as an OpenID Provider that answers at once: its issuer. */
    oidcIssuer,
    /** Has an id token ready for a code. */
    async prepareCode(code: string, claims: { sub: string; nonce: string }): Promise<void> {
      const idToken = await new SignJWT({ ...claims, email: 'somebody@example.com', email_verified: true })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid })
        .setIssuer(oidcIssuer)
        .setAudience(clientId)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey);
      idTokens.set(code, idToken);
    },
    /** An access token as the provider's policies issue them, good for an hour. */
    issueToken(claims: JWTPayload & { sub: string }): Promise<string> {
      return new SignJWT({
        ver: '1.0',
        tfp: policy,
        scp: 'access',
        azp: clientId,
        name: 'Somebody',
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
