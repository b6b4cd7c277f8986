/** Client of one OpenID Provider. Metadata is fetched at first use and cached, so that the server starts while a provider is down. */
import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import * as openid from 'openid-client';
import type { OidcProviderConfig } from '../../../platform/config/oidc-providers.ts';
import { cacheMetadata } from '../../../platform/identity/cache-metadata.ts';
import { discoverProvider, providerTimeoutSeconds } from '../../../platform/identity/discover-provider.ts';
import { publicKeyAlgorithms } from '../../../platform/identity/provider-responses.ts';
import { refreshTokens } from '../../../platform/identity/refresh-tokens.ts';
import type { AuthenticationTime, ProviderTokens } from '../sessions/sessions.ts';
import { isEntra } from '../../../platform/identity/entra.ts';
import { createHash } from 'node:crypto';

export type Claims = Record<string, unknown> & { sub: string };

export type AuthorizationTimes = {
  /** Start of the authorization request by our clock, in ms. */
  askedAt: number;
  /** `auth_time`: authentication by the provider's clock, in seconds; null if the provider omits it. */
  authTime: number | null;
};

export type ProviderSignIn = ProviderTokens &
  AuthorizationTimes &
  Required<AuthenticationTime> & {
    issuer: string;
    claims: Claims;
    /** Fetched once. Returns null if the provider has no userinfo endpoint. Throws the same errors as `exchange`. */
    userInfo(): Promise<Claims | null>;
  };
export type CodeExchange = Omit<ProviderSignIn, 'askedAt' | 'authenticatedAt'>;

export type AuthorizationParameters = {
  state: string;
  nonce: string;
  verifier: string;
  loginHint?: string | undefined;
  language?: string | undefined;
  /** Absent if the provider does not support it. */
  prompt?: 'create' | 'select_account' | 'login' | undefined;
};

export type OidcClient = ReturnType<typeof createOidcClient>;

export function createOidcClient(
  provider: OidcProviderConfig,
  options: { redirectUri: string; now: () => number },
) {
  const metadata = cacheMetadata(async () => {
    const configuration = await discoverProvider(provider);
    const keys = createRemoteJWKSet(new URL(configuration.serverMetadata().jwks_uri as string), {
      timeoutDuration: providerTimeoutSeconds * 1000,
      // `verify` renews the keys.
      cooldownDuration: Number.POSITIVE_INFINITY,
      ...(provider.fetch && { [customFetch]: provider.fetch }),
    });
    return { configuration, keys };
  }, options.now);

  return {
    provider,

    async authorizationUrl(request: AuthorizationParameters): Promise<URL> {
      const { configuration } = await metadata.get();
      const prompt = supportedPrompt(configuration, request.prompt);
      // RFC 9126: the provider accepts only requests whose parameters were sent to it before.
      const build = configuration.serverMetadata().require_pushed_authorization_requests
        ? openid.buildAuthorizationUrlWithPAR
        : openid.buildAuthorizationUrl;
      return build(configuration, {
        ...provider.parameters,
        redirect_uri: options.redirectUri,
        scope: provider.scopes,
        state: request.state,
        nonce: request.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(request.verifier),
        code_challenge_method: 'S256',
        // Entra ID refuses a hint together with the choice of an account.
        ...(request.loginHint !== undefined &&
          prompt !== 'select_account' && { login_hint: request.loginHint }),
        ...(request.language !== undefined && { ui_locales: request.language }),
        ...(request.prompt === 'login' && { max_age: '0' }),
        // The configured `prompt` is sent as well: Google issues a refresh token only with `consent`.
        ...(prompt !== undefined && {
          prompt: [provider.parameters['prompt'], prompt].filter(Boolean).join(' '),
        }),
      });
    },

    /** Exchanges a code for tokens. `query` is the query of the callback; the host of the callback's URL is not trusted. */
    async exchange(
      query: string,
      checks: { state: string; nonce: string; verifier: string },
    ): Promise<CodeExchange> {
      const { configuration } = await metadata.get();
      const url = new URL(options.redirectUri);
      url.search = query;
      const tokens = await openid
        .authorizationCodeGrant(configuration, url, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
        })
        .catch(async (error: unknown) => {
          // The provider may have replaced its keys. The code is used up, so only the next sign-in uses the new keys.
          if (error instanceof openid.ClientError && keyFailures.has(error.code)) await metadata.renew();
          throw error;
        });
      const claims = tokens.claims() as Claims;
      if (!isForAccessToken(tokens.id_token as string, claims, tokens.access_token))
        throw new openid.ClientError('at_hash of another access token');
      const { sid, auth_time: authTime } = claims;
      const fetchUserInfo = async () =>
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? null
          : openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      let userInfo: Promise<Claims | null> | undefined;
      return {
        issuer: String(claims['iss']),
        claims,
        idToken: tokens.id_token ?? null,
        refreshToken: tokens.refresh_token ?? null,
        sid: typeof sid === 'string' && sid.length <= 255 && !sid.includes('\0') ? sid : null,
        authTime: isTime(authTime) ? authTime : null,
        userInfo: () => (userInfo ??= fetchUserInfo()),
      };
    },

    /** Renews tokens. `isSame` is false if the new id token is of another subject. */
    async renew(
      refreshToken: string,
      subject: string,
    ): Promise<{ refreshToken: string; idToken: string | null; isSame: boolean }> {
      const { configuration } = await metadata.get();
      const renewed = await refreshTokens(provider, configuration.serverMetadata(), refreshToken);
      return {
        refreshToken: renewed.refreshToken ?? refreshToken,
        idToken: renewed.idToken?.text ?? null,
        // OpenID Connect Core, section 12.2.
        isSame: (renewed.idToken?.sub ?? subject) === subject,
      };
    },

    /** Returns the provider's logout URL; null if it has none or cannot be reached. */
    async endSessionUrl(idToken: string | null, returnTo: string): Promise<string | null> {
      try {
        const { configuration } = await metadata.get();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
        return logoutUrl(configuration, provider.issuer, idToken, returnTo);
      } catch {
        return null;
      }
    },

    /** Verifies a token of the provider. Throws errors of jose, and those of a failed request for the metadata. */
    verify: (token: string, checks: JWTVerifyOptions): Promise<JWTVerifyResult> =>
      verifyToken(metadata, token, { ...checks, audience: provider.clientId }),
  };
}

type Metadata = { configuration: openid.Configuration; keys: JWTVerifyGetKey };

async function verifyToken(
  metadata: ReturnType<typeof cacheMetadata<Metadata>>,
  token: string,
  checks: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const attempt = ({ configuration, keys }: Metadata) => {
    const { issuer, id_token_signing_alg_values_supported: offered } = configuration.serverMetadata();
    return jwtVerify(token, keys, { ...checks, issuer, algorithms: publicKeyAlgorithms(offered) });
  };
  try {
    return await attempt(await metadata.get());
  } catch (error) {
    // The provider may have replaced its keys.
    const isKeyFailure =
      error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
    const renewed = isKeyFailure && (await metadata.renew());
    if (!renewed) throw error;
    return attempt(renewed);
  }
}

/**
 * Omits the `id_token_hint` from a logout URL that would be too long: ID tokens of users with many groups are. Entra ID refuses the URL
 * (AADSTS90015) and does not need the hint; some providers, such as Okta, need it. Web servers accept 8 kB.
 */
function logoutUrl(
  configuration: openid.Configuration,
  issuer: string,
  idToken: string | null,
  returnTo: string,
): string {
  const urlWith = (hint: string | null) =>
    openid.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: returnTo,
      // The name in Amazon Cognito, which otherwise shows an error. Other providers ignore it.
      logout_uri: returnTo,
      ...(hint !== null && { id_token_hint: hint }),
    }).href;
  const url = urlWith(idToken);
  return url.length <= (isEntra(issuer) ? 2_000 : 8_000) ? url : urlWith(null);
}

/** Errors of a signature and of a key id that is not among the keys. */
const keyFailures = new Set<string | undefined>(['OAUTH_INVALID_RESPONSE', 'OAUTH_KEY_SELECTION_FAILED']);

/** Seconds since 1970, in the range of dates. */
const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1e11;

/** Returns a prompt that the provider accepts. Providers without a list are assumed to support all values but `create`. */
function supportedPrompt(
  configuration: openid.Configuration,
  prompt: AuthorizationParameters['prompt'],
): string | undefined {
  const supported = configuration.serverMetadata()['prompt_values_supported'];
  if (!Array.isArray(supported)) return prompt === 'create' ? undefined : prompt;
  if (prompt === 'select_account' && !supported.includes(prompt))
    return supported.includes('login') ? 'login' : undefined;
  return prompt !== undefined && supported.includes(prompt) ? prompt : undefined;
}

/**
 * Checks `at_hash` of an id token (OpenID Connect Core 1.0, section 3.1.3.8), which openid-client does not. Returns true
 * also without `at_hash`, which is optional in the code flow.
 */
export function isForAccessToken(
  idToken: string,
  claims: Record<string, unknown>,
  accessToken: string,
): boolean {
  const { at_hash: expected } = claims;
  if (expected === undefined) return true;
  const { alg = '' } = decodeProtectedHeader(idToken);
  // Ed25519 hashes with SHA-512.
  const hash = createHash(`sha${/\d{3}$/.exec(alg)?.[0].replace('519', '512') ?? '512'}`);
  const digest = hash.update(accessToken).digest();
  return expected === digest.subarray(0, digest.length / 2).toString('base64url');
}
