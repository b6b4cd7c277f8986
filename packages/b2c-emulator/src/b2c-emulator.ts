/**
 * An identity provider that behaves like an Azure AD B2C tenant, offline, for development, tests and demos.
 * Not for production. This file lists the endpoints and starts the server.
 */
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { authorize } from './authorize/authorize.ts';
import { B2cError, getErrorMessage } from './b2c-error.ts';
import { readEmulatorConfig, type EmulatorConfig } from './emulator-config.ts';
import { logout } from './logout.ts';
import { sendMessage, stylesheet } from './pages/pages.ts';
import { readParameters, type PolicyEndpoint } from './requests.ts';
import { showInteraction, submitInteraction } from './steps/interaction.ts';
import { openTenant, type EmulatorDependencies, type Tenant } from './tenant/tenant.ts';
import { redeem } from './token/token.ts';
import { responseModes } from './tenant/transactions.ts';

export type { EmulatorConfig, EmulatorDependencies };

const token: PolicyEndpoint = async (request, reply, tenant, policy) => {
  const body = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  try {
    return reply.send(await redeem(tenant, policy, readParameters(body), getBasicClientId(request)));
  } catch (error) {
    if (!(error instanceof B2cError)) throw error;
    tenant.log(`${policy.name}: ${error.code}, correlation id ${error.correlationId}`);
    return sendJsonError(reply, tenant, error, 400);
  }
};

/** The metadata of a policy (OpenID Connect Discovery section 3). */
const metadata: PolicyEndpoint = (_, reply, tenant, policy) => {
  const address = tenant.addressOf(policy);
  return reply.send({
    issuer: tenant.issuerOf(policy),
    authorization_endpoint: `${address}/oauth2/v2.0/authorize`,
    token_endpoint: `${address}/oauth2/v2.0/token`,
    end_session_endpoint: `${address}/oauth2/v2.0/logout`,
    jwks_uri: `${address}/discovery/v2.0/keys`,
    response_modes_supported: responseModes,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: ['openid', 'offline_access', 'profile'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
  });
};

/** The public keys (RFC 7517). B2C serves the same set for every policy. */
const keys: PolicyEndpoint = (_, reply, tenant) => reply.send({ keys: [tenant.signingKey.publicJwk] });

type Endpoint = [method: 'GET' | 'POST', path: string, handler: PolicyEndpoint];

/** Endpoints of a policy with pages, below `/{tenant}.onmicrosoft.com/{policy}`. */
const pageEndpoints: Endpoint[] = [
  ['GET', '/oauth2/v2.0/authorize', authorize],
  ['POST', '/oauth2/v2.0/authorize', authorize],
  ['GET', '/oauth2/v2.0/logout', logout],
  ['POST', '/oauth2/v2.0/logout', logout],
  ['GET', '/interaction/:id', showInteraction],
  ['POST', '/interaction/:id', submitInteraction],
];

/** Endpoints that return JSON to any origin. */
const jsonEndpoints: Endpoint[] = [
  ['GET', '/v2.0/.well-known/openid-configuration', metadata],
  ['GET', '/discovery/v2.0/keys', keys],
  ['POST', '/oauth2/v2.0/token', token],
];

/** Starts the emulator. Rejects with a one-sentence message if the configuration or the port cannot be used. */
export async function startB2cEmulator(
  config: EmulatorConfig,
  deps: EmulatorDependencies,
): Promise<{ url: string; close(): Promise<void> }> {
  const { app, tenant } = await createB2cEmulator(config, deps);
  const { host = '127.0.0.1', port, publicUrl } = config;
  await app.listen({ host, port });
  const address = app.server.address();
  if (!publicUrl && typeof address === 'object') {
    tenant.publicUrl = tenant.publicUrl.replace(/:\d+$/, `:${address?.port}`);
  }
  return { url: tenant.publicUrl, close: () => app.close() };
}

/** Creates the emulator without listening, for tests that inject requests. */
export async function createB2cEmulator(
  config: EmulatorConfig,
  deps: EmulatorDependencies,
): Promise<{ app: FastifyInstance; tenant: Tenant }> {
  const checked = readEmulatorConfig(config);
  const app = fastify({
    bodyLimit: 64 * 1024,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 255 },
    https: checked.tls ?? null,
  }) as FastifyInstance;
  const tenant = await openTenant(checked, deps);
  app.addHook('onClose', () => tenant.close());

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) => {
    done(null, new URLSearchParams(String(body)));
  });
  app.addHook('onRequest', async (_, reply) => {
    if (deps.brand) tenant.brand = await deps.brand();
    reply.headers({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });
  app.addHook('onSend', async () => tenant.store.save());
  app.setNotFoundHandler((_, reply) => sendNotFound(reply, tenant));
  app.setErrorHandler((error, request, reply) => sendErrorPage(error, request, reply, tenant));

  app.get('/b2c-emulator.css', (_, reply) => reply.type('text/css; charset=utf-8').send(stylesheet));
  for (const [method, path, handler] of pageEndpoints) {
    app.route({
      method,
      url: `/:tenant/:policy${path}`,
      handler: (request, reply) => {
        const policy = findPolicy(request, tenant);
        return policy ? handler(request, reply, tenant, policy) : sendNotFound(reply, tenant);
      },
    });
  }
  for (const [method, path, handler] of jsonEndpoints) mountJsonEndpoint(app, tenant, method, path, handler);
  return { app, tenant };
}

function mountJsonEndpoint(app: FastifyInstance, tenant: Tenant, ...[method, path, handler]: Endpoint): void {
  const url = `/:tenant/:policy${path}`;
  const allowAnyOrigin = async (_: FastifyRequest, reply: FastifyReply) => {
    reply.header('access-control-allow-origin', '*');
  };
  app.route({
    method,
    url,
    errorHandler: (error, request, reply) =>
      void sendJsonError(reply, tenant, ...describeError(error, request, tenant)),
    onRequest: allowAnyOrigin,
    handler: (request, reply) => {
      const policy = findPolicy(request, tenant);
      if (policy) return handler(request, reply, tenant, policy);
      const names = request.params as { tenant: string; policy: string };
      const error = new B2cError('AADB2C90022', 'invalid_request', names.policy, names.tenant);
      return sendJsonError(reply, tenant, error, 404);
    },
  });
  app.options(url, { onRequest: allowAnyOrigin }, (_, reply) =>
    reply
      .headers({
        'access-control-allow-methods': method,
        'access-control-allow-headers': '*, authorization',
        'access-control-max-age': '86400',
      })
      .code(204)
      .send(),
  );
}

/** B2C accepts the tenant's name or id in the path, and ignores case. */
function findPolicy(request: FastifyRequest, tenant: Tenant) {
  const { tenant: domain, policy } = request.params as { tenant: string; policy: string };
  const isKnown = [tenant.domain, tenant.id].includes(domain.toLowerCase());
  return isKnown ? tenant.policies.get(policy.toLowerCase()) : undefined;
}

/** Returns the user name of an `Authorization: Basic` header, form-decoded (RFC 6749 section 2.3.1). */
function getBasicClientId({ headers }: FastifyRequest): string | undefined {
  const [, credentials] = /^basic ([\w+/=-]{1,4096})$/i.exec(headers.authorization ?? '') ?? [];
  if (credentials === undefined) return undefined;
  const [name = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1);
  return new URLSearchParams(`name=${name}`).get('name') ?? undefined;
}

function sendJsonError(reply: FastifyReply, tenant: Tenant, error: B2cError, status: number): FastifyReply {
  return reply.code(status).send({
    error: error.oauthError,
    error_description: error.describe(tenant.now()),
    correlation_id: error.correlationId,
  });
}

function sendNotFound(reply: FastifyReply, tenant: Tenant): FastifyReply {
  const lead = 'Check the address: it names the tenant and one of its policies.';
  return sendMessage(reply, tenant, { title: 'Page not found', lead, status: 404 });
}

function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply, tenant: Tenant) {
  const [described, status] = describeError(error, request, tenant);
  return sendMessage(reply, tenant, {
    title: status < 500 ? 'This request cannot be answered' : 'Something went wrong',
    lead: 'Go back and try again. If the problem persists, look for the correlation id in the output of the emulator.',
    detail: described.describe(tenant.now()),
    status,
  });
}

/** Logs an error and returns a generic one with its status. */
function describeError(error: unknown, request: FastifyRequest, tenant: Tenant): [B2cError, status: number] {
  const { statusCode = 500 } = error as { statusCode?: number };
  const isBadInput = statusCode < 500;
  const described = new B2cError('AADB2C90037', isBadInput ? 'invalid_request' : 'server_error');
  const path = request.url.split('?', 1)[0];
  // Messages of client errors can contain input.
  const reason = isBadInput ? '' : `: ${error instanceof Error ? error.stack : getErrorMessage(error)}`;
  tenant.log(`${request.method} ${path}: ${statusCode}, correlation id ${described.correlationId}${reason}`);
  return [described, statusCode];
}
