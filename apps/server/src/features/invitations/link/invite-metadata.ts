/** OpenID metadata and public keys for verifying invite tokens (OpenID Connect Discovery 1.0, section 4). */
import type { FastifyInstance } from 'fastify';
import type { SigningKeys } from './signing-keys.ts';

const cacheSeconds = 300;

/** Returns the issuer of invite tokens. B2C expects the trailing slash. */
export const inviteTokenIssuer = (publicUrl: string): string => `${publicUrl}/`;

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
