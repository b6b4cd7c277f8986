/**
 * One OpenID Provider as the server sees it, by openid-client. Its metadata is read when it is first needed and kept: a provider that is
 * down stops no start, and nobody who is inside. What a failure means for a person stands in oidc-failure.ts.
 */
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';
import type { OidcProviderConfig } from '../../../../platform/config/oidc-providers.ts';
import { discoverProvider, providerTimeoutSeconds } from '../../../../platform/identity/discover-provider.ts';
import { publicKeyAlgorithms } from '../../../../platform/identity/provider-responses.ts';
import { refresh } from '../../../../platform/identity/refresh-tokens.ts';
import type { AuthenticationTime, ProviderTokens } from '../../sessions/sessions.ts';
import type { AuthorizationPurpose } from '../ended-provider-sessions.ts';
import { isOfAccessToken } from './access-token-hash.ts';

/** Metadata that was read once is read again now and then, by the way. */
const refreshMs = 10 * 60_000;
/** While nothing is known, the provider is asked after these many milliseconds, twice as many each time. */
const backOffMs = { first: 500, last: 30_000 };

/** Claims of an id token, or of userinfo. */
export type Claims = Record<string, unknown> & { sub: string };

export type SignInAnswer = ProviderTokens &
  AuthorizationPurpose &
  Required<AuthenticationTime> & {
    issuer: string;
    claims: Claims;
    /** What userinfo adds; null where the provider has none. Throws as the exchange does. */
    userInfo(): Promise<Claims | null>;
  };
export type Exchanged = Omit<SignInAnswer, 'askedAt' | 'provenAt'>;

/** What a sign-in asks of a provider. */
export type AuthorizationRequest = {
  state: string;
  nonce: string;
  verifier: string;
  loginHint?: string | undefined;
  language?: string | undefined;
  /** Asked for where the provider offers it. `login`: whoever is signed in there signs in again. */
  prompt?: 'create' | 'select_account' | 'login' | undefined;
};

/** Gives what is known of a provider, asked for at the first call. Throws as the discovery does while nothing is known. */
function rememberProvider(provider: OidcProviderConfig, now: () => number) {
  let known: { configuration: openid.Configuration; keys: JWTVerifyGetKey } | undefined;
  let asking: Promise<NonNullable<typeof known>> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let waitMs = 0;
  let lastError: unknown;

  async function ask() {
    asking ??= (async () => {
      askedAt = now();
      try {
        const configuration = await discoverProvider(provider);
        const keys = createRemoteJWKSet(new URL(configuration.serverMetadata().jwks_uri as string), {
          timeoutDuration: providerTimeoutSeconds * 1000,
        });
        waitMs = 0;
        return { configuration, keys };
      } catch (error) {
        lastError = error;
        waitMs = Math.min(backOffMs.last, Math.max(backOffMs.first, waitMs * 2));
        throw error;
      }
    })().finally(() => (asking = undefined));
    known = await asking;
    return known;
  }

  return async function know() {
    if (known) {
      // In the background: nobody waits for it, and its failure changes nothing.
      if (now() - askedAt >= refreshMs) ask().catch(() => {});
      return known;
    }
    if (!asking && now() - askedAt < waitMs) throw lastError;
    return ask();
  };
}

export type OidcClient = ReturnType<typeof createOidcClient>;

export function createOidcClient(
  provider: OidcProviderConfig,
  options: { redirectUri: string; now: () => number },
) {
  const know = rememberProvider(provider, options.now);

  return {
    provider,

    /** Where the browser goes to sign in. */
    async authorizationUrl(request: AuthorizationRequest): Promise<URL> {
      const { configuration } = await know();
      const prompt = offeredPrompt(configuration, request.prompt);
      return openid.buildAuthorizationUrl(configuration, {
        ...provider.parameters,
        redirect_uri: options.redirectUri,
        scope: provider.scopes,
        state: request.state,
        nonce: request.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(request.verifier),
        code_challenge_method: 'S256',
        ...(request.loginHint !== undefined && { login_hint: request.loginHint }),
        ...(request.language !== undefined && { ui_locales: request.language }),
        ...(request.prompt === 'login' && { max_age: '0' }),
        // The provider's own may have to stay: Google gives a refresh token only with `consent`.
        ...(prompt !== undefined && {
          prompt: [provider.parameters['prompt'], prompt].filter(Boolean).join(' '),
        }),
      });
    },

    /** Exchanges the code that the browser brought back. `query` is that of the callback, whatever its host was. */
    async exchange(
      query: string,
      checks: { state: string; nonce: string; verifier: string },
    ): Promise<Exchanged> {
      const { configuration } = await know();
      const url = new URL(options.redirectUri);
      url.search = query;
      const tokens = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims() as Claims;
      if (!isOfAccessToken(tokens.id_token as string, claims, tokens.access_token))
        throw new openid.ClientError('at_hash of another access token');
      const { sid, auth_time: authTime } = claims;
      return {
        issuer: String(claims['iss']),
        claims,
        idToken: tokens.id_token ?? null,
        refreshToken: tokens.refresh_token ?? null,
        sid: typeof sid === 'string' && sid.length <= 255 ? sid : null,
        authTime: typeof authTime === 'number' ? authTime : null,
        async userInfo() {
          if (configuration.serverMetadata().userinfo_endpoint === undefined) return null;
          return openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        },
      };
    },

    /** Asks whether somebody still belongs there. Gives the tokens that take the place of the old ones. */
    async renew(
      refreshToken: string,
      subject: string,
    ): Promise<{ refreshToken: string; idToken: string | null; isSame: boolean }> {
      const { configuration } = await know();
      const renewed = await refresh(provider, configuration.serverMetadata(), refreshToken);
      return {
        refreshToken: renewed.refreshToken ?? refreshToken,
        idToken: renewed.idToken?.text ?? null,
        // OpenID Connect Core, section 12.2: it has to be the same person.
        isSame: (renewed.idToken?.sub ?? subject) === subject,
      };
    },

    /** Where the provider ends its own session; null where it has no such address, or cannot be reached. */
    async endSessionUrl(idToken: string | null, returnTo: string): Promise<string | null> {
      try {
        const { configuration } = await know();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
        return openid.buildEndSessionUrl(configuration, {
          post_logout_redirect_uri: returnTo,
          ...(idToken !== null && { id_token_hint: idToken }),
        }).href;
      } catch {
        return null;
      }
    },

    /** What verifies a token that the provider signed. */
    async verification(): Promise<{ issuer: string; keys: JWTVerifyGetKey; algorithms: string[] }> {
      const { configuration, keys } = await know();
      const { issuer, id_token_signing_alg_values_supported: offered } = configuration.serverMetadata();
      return { issuer, keys, algorithms: publicKeyAlgorithms(offered) };
    },
  };
}

/** Providers refuse a prompt that they do not know. Those that say nothing know `select_account`, and not `create`. */
function offeredPrompt(
  configuration: openid.Configuration,
  wanted: AuthorizationRequest['prompt'],
): string | undefined {
  const offered = configuration.serverMetadata()['prompt_values_supported'];
  if (!Array.isArray(offered)) return wanted === 'create' ? undefined : wanted;
  if (wanted === 'select_account' && !offered.includes(wanted))
    return offered.includes('login') ? 'login' : undefined;
  return wanted !== undefined && offered.includes(wanted) ? wanted : undefined;
}
