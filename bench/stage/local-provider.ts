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
  const server = createServer((request, response) => {
    const answer = request.url === '/keys' ? { keys: [key] } : { issuer, jwks_uri: `${address}/keys` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${address}/${tenant}/v2.0/`;

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
