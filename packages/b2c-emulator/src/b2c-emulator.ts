/**
 * An identity provider that behaves like an Azure AD B2C tenant, offline, for development, tests and demos.
 * Not for production. This file lists the endpoints and starts the server.
 */
import { STATUS_CODES } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorize } from './authorize/authorize-endpoint.ts';
import { B2cError, getErrorMessage } from './b2c-error.ts';
import { ConfigError, readEmulatorConfig } from './emulator-config.ts';
import type { EmulatorConfig } from './emulator-config.ts';
import type { PolicyEndpoint } from './endpoint.ts';
import { showInteraction, submitInteraction } from './steps/interaction.ts';
import { logout } from './logout.ts';
import { publicKeySet, buildMetadata } from './metadata.ts';
import { stylesheetPath } from './pages/pages.ts';
import { pageTexts } from './pages/page-texts.ts';
import { sendMessagePage } from './pages/send-page.ts';
import { readParameters } from './request-parameters.ts';
import { writeStylesheet } from './pages/stylesheet.ts';
import { getDefaultPublicUrl, openTenant } from './tenant/tenant.ts';
import type { Policy } from './tenant/client-and-policy.ts';
import type { EmulatorDependencies, Tenant } from './tenant/tenant.ts';
import { redeem } from './token/token.ts';

export { ConfigError, readEmulatorConfig };
export type { EmulatorConfig, EmulatorDependencies };

type Endpoint = { method: 'GET' | 'POST'; path: string; answer: PolicyEndpoint; kind: 'page' | 'cors' };

const metadata: PolicyEndpoint = (_request, reply, tenant, policy) =>
  reply.send(buildMetadata(tenant, policy));
const keys: PolicyEndpoint = (_request, reply, tenant) => reply.send(publicKeySet(tenant));

const token: PolicyEndpoint = async (request, reply, tenant, policy) => {
  const body = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  try {
    const answer = await redeem(tenant, policy, readParameters(body), getBasicClientId(request));
    return reply.header('pragma', 'no-cache').send(answer);
  } catch (error) {
    if (!(error instanceof B2cError)) throw error;
    tenant.log(`${policy.name}: ${error.code}, correlation id ${error.correlationId}`);
    return sendJsonError(reply.code(400), error, tenant);
  }
};

/**
 * Endpoints of a policy, below `/{tenant}.onmicrosoft.com/{policy}`. Endpoints of kind "cors" return JSON to
 * any origin.
 */
const endpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/v2.0/.well-known/openid-configuration', answer: metadata, kind: 'cors' },
  { method: 'GET', path: '/discovery/v2.0/keys', answer: keys, kind: 'cors' },
  { method: 'GET', path: '/oauth2/v2.0/authorize', answer: authorize, kind: 'page' },
  { method: 'POST', path: '/oauth2/v2.0/authorize', answer: authorize, kind: 'page' },
  { method: 'POST', path: '/oauth2/v2.0/token', answer: token, kind: 'cors' },
  { method: 'GET', path: '/oauth2/v2.0/logout', answer: logout, kind: 'page' },
  { method: 'POST', path: '/oauth2/v2.0/logout', answer: logout, kind: 'page' },
  { method: 'GET', path: '/interaction/:id', answer: showInteraction, kind: 'page' },
  { method: 'POST', path: '/interaction/:id', answer: submitInteraction, kind: 'page' },
];

const maxBodyBytes = 64 * 1024;

/**
 * Starts the emulator. Rejects with a one-sentence message if the configuration or the port cannot be used.
 */
export async function startB2cEmulator(
  config: EmulatorConfig,
  deps: EmulatorDependencies,
): Promise<{ url: string; close(): Promise<void> }> {
  const { app, tenant } = await createB2cEmulator(config, deps);
  const host = config.host ?? '127.0.0.1';
  try {
    await app.listen({ host, port: config.port });
  } catch (error) {
    await app.close();
    throw listenError(error, host, config.port);
  }
  const address = app.server.address();
  if (config.publicUrl === undefined && typeof address === 'object' && address) {
    tenant.publicUrl = getDefaultPublicUrl(config, address.port);
  }
  return { url: tenant.publicUrl, close: () => app.close() };
}

/** Creates the emulator without listening, for tests that inject requests. */
export async function createB2cEmulator(
  config: EmulatorConfig,
  deps: EmulatorDependencies,
): Promise<{ app: FastifyInstance; tenant: Tenant }> {
  const checked = readEmulatorConfig(config);
  const app = createServer(checked);
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
  app.setNotFoundHandler((_, reply) => sendNotFound(reply, tenant));
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, tenant));

  app.get(stylesheetPath, async (_, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' })
      .send(await writeStylesheet(deps.accent)),
  );
  for (const endpoint of endpoints) mount(app, tenant, endpoint);
  return { app, tenant };
}

function createServer({ tls }: EmulatorConfig): FastifyInstance {
  const options = {
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 255 },
  };
  if (!tls) return fastify(options);
  try {
    return fastify({ ...options, https: tls });
  } catch (error) {
    throw new ConfigError([`the key and certificate of \`tls\` do not work (${getErrorMessage(error)})`]);
  }
}

function mount(app: FastifyInstance, tenant: Tenant, { method, path, answer, kind }: Endpoint): void {
  const url = `/:tenant/:policy${path}`;
  const isCors = kind === 'cors';
  app.route({
    method,
    url,
    config: { isCors },
    handler: (request, reply) => {
      const policy = findPolicy(request, tenant);
      if (isCors) reply.header('access-control-allow-origin', '*');
      if (policy) return answer(request, reply, tenant, policy);
      return isCors ? sendUnknownPolicy(request, reply, tenant) : sendNotFound(reply, tenant);
    },
  });
  if (!isCors) return;
  app.route({
    method: 'OPTIONS',
    url,
    handler: (_, reply) =>
      reply
        .headers({
          'access-control-allow-origin': '*',
          'access-control-allow-methods': method,
          'access-control-allow-headers': '*, authorization',
          'access-control-max-age': '86400',
        })
        .code(204)
        .send(),
  });
}

/** B2C accepts the tenant's name or id in the path, and ignores case. */
function findPolicy(request: FastifyRequest, tenant: Tenant): Policy | undefined {
  const { tenant: domain, policy } = request.params as { tenant: string; policy: string };
  const isOurs = [tenant.domain, tenant.id].includes(domain.toLowerCase());
  return isOurs ? tenant.policies.get(policy.toLowerCase()) : undefined;
}

/** Returns the user name of an `Authorization: Basic` header, form-decoded (RFC 6749 section 2.3.1). */
function getBasicClientId(request: FastifyRequest): string | undefined {
  const match = /^basic ([\w+/=-]{1,4096})$/i.exec(request.headers.authorization ?? '');
  if (!match) return undefined;
  const [name = ''] = Buffer.from(match[1]!, 'base64').toString('utf8').split(':', 1);
  return new URLSearchParams(`name=${name}`).get('name') ?? undefined;
}

function sendUnknownPolicy(request: FastifyRequest, reply: FastifyReply, tenant: Tenant): FastifyReply {
  const { tenant: domain, policy } = request.params as { tenant: string; policy: string };
  return sendJsonError(
    reply.code(404),
    new B2cError('AADB2C90022', 'invalid_request', policy, domain),
    tenant,
  );
}

function sendJsonError(reply: FastifyReply, error: B2cError, tenant: Tenant): FastifyReply {
  return reply.send({
    error: error.oauthError,
    error_description: error.describe(tenant.now()),
    correlation_id: error.correlationId,
  });
}

function sendNotFound(reply: FastifyReply, tenant: Tenant): FastifyReply {
  const { notFoundTitle: title, notFoundAdvice: advice } = pageTexts.en;
  return sendMessagePage(reply, tenant, 'en', { title, advice, status: 404 });
}

/**
 * Returns client errors with their status. Logs all other errors completely and returns a generic message.
 */
function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: Tenant,
): FastifyReply {
  const status = getStatus(error);
  const isBadInput = status >= 400 && status < 500;
  const described = new B2cError('AADB2C90037', isBadInput ? 'invalid_request' : 'server_error');
  const reason = isBadInput
    ? (STATUS_CODES[status] ?? '')
    : error instanceof Error
      ? error.stack
      : String(error);
  const path = request.url.split('?', 1)[0];
  tenant.log(`${request.method} ${path}: ${status}, correlation id ${described.correlationId}: ${reason}`);

  const { isCors } = request.routeOptions.config as { isCors?: boolean };
  if (isCors) {
    return sendJsonError(reply.code(status).header('access-control-allow-origin', '*'), described, tenant);
  }
  const texts = pageTexts.en;
  const detail = described.describe(tenant.now()).trim();
  const badInputAdvice = status === 413 ? texts.tooLarge : texts.requestErrorAdvice;
  return sendMessagePage(reply, tenant, 'en', {
    title: isBadInput ? texts.requestErrorTitle : texts.unexpectedTitle,
    advice: isBadInput ? badInputAdvice : texts.unexpectedAdvice,
    detail,
    status,
  });
}

function getStatus(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}

/** Creates an error with a readable message; `code` and `port` are kept for callers that print their own. */
function listenError(error: unknown, host: string, port: number): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const sentence =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is already in use: stop the program that has it, or set another port.`
      : code === 'EACCES'
        ? `Port ${port} on ${host} may not be used: set a port above 1023.`
        : `The emulator cannot listen on ${host}, port ${port} (${getErrorMessage(error)}).`;
  return Object.assign(new Error(sentence, { cause: error }), { code, port });
}
