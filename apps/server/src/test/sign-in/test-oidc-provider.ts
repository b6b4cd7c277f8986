/** OpenID Provider (oidc-provider) on 127.0.0.1 with accounts and errors controlled by the test. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeJwt,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from 'jose';
import { interactionPolicy, Provider, type Configuration } from 'oidc-provider';

export const clientId = 'vestibule';
export const clientSecret = 'a-secret-of-the-tests-of-32-characters';

export type TestOidcProvider = Awaited<ReturnType<typeof startTestOidcProvider>>;

type Json = Record<string, unknown>;
type SigningKey = { kid: string; jwk: JWK; privateKey: CryptoKey };
type Options = {
  way: string;
  publicUrl: string;
  extra?: Configuration;
  /** Path of the issuer, such as `/adfs`. */
  path?: string;
};

/** `jwk` is the public and private key as a JWK. */
export async function newSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

/** First keys of the providers. A worker generates four, because each takes 50 ms. */
const firstKeys: Promise<SigningKey>[] = [];
let startedProviders = 0;

function nextFirstKey(): Promise<SigningKey> {
  startedProviders += 1;
  return (firstKeys[startedProviders % 4] ??= newSigningKey('k1'));
}

function configurationOf(
  { way, publicUrl }: Options,
  users: ReadonlyMap<string, Json>,
  jwk: JWK,
): Configuration {
  const policy = interactionPolicy.base();
  for (const name of ['create', 'select_account'])
    policy.add(new interactionPolicy.Prompt({ name, requestable: true }), 0);
  return {
    jwks: { keys: [jwk] },
    cookies: { keys: ['test'] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${publicUrl}/auth/${way}/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        backchannel_logout_uri: `${publicUrl}/auth/${way}/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: {
      openid: ['sub', 'auth_time', 'acr', 'amr'],
      email: ['email', 'email_verified', 'xms_edov'],
      profile: ['name', 'given_name', 'family_name'],
    },
    // The id token has the claims, too.
    conformIdTokenClaims: false,
    findAccount: (_context, id) => {
      const claims = users.get(id);
      return claims && { accountId: id, claims: () => ({ sub: id, ...claims }) };
    },
    interactions: { policy, url: (_context, interaction) => `/login/${interaction.uid}` },
    discovery: { prompt_values_supported: ['none', 'login', 'consent', 'create', 'select_account'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId as string,
        accountId: oidc.session?.accountId as string,
      });
      grant.addOIDCScope('openid email profile offline_access');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    // The built-in check rejects loopback.
    fetch: ((url: string, init: Json) => {
      delete init['dispatcher'];
      return fetch(url, init);
    }) as never,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 3600,
      Grant: 3600,
      RefreshToken: 3600,
    },
  };
}

export async function startTestOidcProvider({ way, publicUrl, extra = {}, path: mountPath = '' }: Options) {
  const users = new Map<string, Json>();
  const key = await nextFirstKey();
  const next: {
    sub: string;
    error: string | null;
    rewrite: ((path: string, body: Json) => Json | Promise<Json>) | null;
    /** Handles a request instead of the provider. Returns true if it did. */
    instead: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | null;
    seen: { prompt: string; params: Json }[];
    calls: string[];
  } = { sub: '', error: null, rewrite: null, instead: null, seen: [], calls: [] };

  const server = http.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mountPath}`;
  const op = new Provider(issuer, { ...configurationOf({ way, publicUrl }, users, key.jwk), ...extra });
  const handle = op.callback();

  server.on('request', (request, response) => void serve(request, response));

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    // As oidc-provider expects it where another router serves its path.
    if (request.url?.startsWith(`${mountPath}/`))
      Object.assign(request, { originalUrl: request.url, url: request.url.slice(mountPath.length) });
    const path = (request.url ?? '').split('?')[0] as string;
    next.calls.push(path);
    if (next.instead?.(request, response)) return;
    if (next.rewrite && /^\/(?:token|me|jwks|\.well-known)/.test(path)) rewrite(path, response, next.rewrite);
    if (!path.startsWith('/login/')) return void handle(request, response);
    const details = await op.interactionDetails(request, response).catch(() => null);
    if (!details) return void response.writeHead(400).end('stale');
    next.seen.push({ prompt: details.prompt.name, params: details.params });
    await op.interactionFinished(
      request,
      response,
      next.error
        ? { error: next.error }
        : { create: {}, consent: {}, select_account: {}, login: { accountId: next.sub, amr: ['pwd'] } },
    );
  }

  return {
    issuer,
    key,
    next,
    users,
    op,
    setNextAccount(sub: string, claims: Json) {
      users.set(sub, claims);
      next.sub = sub;
    },
    /** Changes the claims, header or key of the next ID tokens. */
    forgeIdToken(
      change: (claims: JWTPayload) => JWTPayload,
      options: { key?: CryptoKey | Uint8Array; header?: Json } = {},
    ) {
      next.rewrite = async (path, body) => {
        if (path !== '/token' || typeof body['id_token'] !== 'string') return body;
        const claims = change(decodeJwt(body['id_token']));
        const defined = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
        const header = { alg: 'RS256', kid: key.kid, ...options.header };
        const id_token =
          header.alg === 'none'
            ? `${encode(header)}.${encode(defined)}.`
            : await new SignJWT(defined).setProtectedHeader(header).sign(options.key ?? key.privateKey);
        return { ...body, id_token };
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function rewrite(
  path: string,
  response: http.ServerResponse,
  change: (path: string, body: Json) => Json | Promise<Json>,
): void {
  const end = response.end.bind(response) as (text: unknown) => http.ServerResponse;
  response.end = ((text: unknown) => {
    if (response.statusCode !== 200) return end(text);
    void (async () => {
      const body = JSON.stringify(await change(path, JSON.parse(String(text)) as Json));
      response.setHeader('content-length', Buffer.byteLength(body));
      end(body);
    })();
    return response;
  }) as typeof response.end;
}
