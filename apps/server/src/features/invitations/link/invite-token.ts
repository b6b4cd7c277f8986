/**
 * Invite tokens: the id_token_hint of the provider's sign-up policy (statement H6; Microsoft, "Define an ID token hint
 * technical profile"). They grant no access to this server.
 */
import type { FastifyInstance } from 'fastify';
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import type { SigningKeys } from './signing-keys.ts';

const inviteTokenSeconds = 600;

/** Time after expiry in which a token still identifies its invitation. */
const expiredTokenSeconds = 24 * 60 * 60;

/** `issuer` ends with a slash. `audience` is the client ID at the provider. */
export function createInviteTokens(options: {
  keys: SigningKeys;
  issuer: string;
  audience: string;
  now: () => number;
  newId: () => string;
}) {
  const { issuer, audience } = options;
  return {
    async issue(invitation: { id: string; email: string; name: string }): Promise<string> {
      const { kid, privateKey } = await options.keys.current();
      const issuedAt = Math.floor(options.now() / 1000);
      return new SignJWT({ email: invitation.email, ...(invitation.name && { name: invitation.name }) })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(invitation.id)
        .setIssuedAt(issuedAt)
        .setNotBefore(issuedAt)
        .setExpirationTime(issuedAt + inviteTokenSeconds)
        .setJti(options.newId())
        .sign(privateKey);
    },
    /** Returns the invitation id of a token issued here, up to a day after its expiry, otherwise null. */
    async invitationOf(token: string): Promise<string | null> {
      try {
        const keys = createLocalJWKSet(await options.keys.published());
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ['RS256'],
          clockTolerance: expiredTokenSeconds,
          currentDate: new Date(options.now()),
        });
        return payload.sub ?? null;
      } catch {
        return null;
      }
    },
  };
}

export type InviteTokens = ReturnType<typeof createInviteTokens>;

const cacheSeconds = 300;

/** Returns the issuer of invite tokens. B2C expects the trailing slash. */
export const inviteTokenIssuer = (publicUrl: string): string => `${publicUrl}/`;

/** Serves metadata and public keys for verifying invite tokens (OpenID Connect Discovery 1.0, section 4). */
export function publishInviteMetadata(app: FastifyInstance, keys: SigningKeys, publicUrl: string): void {
  const metadata = {
    issuer: inviteTokenIssuer(publicUrl),
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ['RS256'],
  };
  app.get('/.well-known/openid-configuration', (_request, reply) =>
    reply.header('cache-control', `public, max-age=${cacheSeconds}`).send(metadata),
  );
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${cacheSeconds}`).send(await keys.published()),
  );
}
