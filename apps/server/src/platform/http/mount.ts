/**
 * Registers areas on Fastify. Every request to a contract route passes these steps: authenticate, authorize, parse the
 * input, check for a recent sign-in if required, run the handler, check the result.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { findSchemaMessage, type Message } from '@vestibule/contract/texts/text';
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginCallback,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import * as z from 'zod/mini';
import type { Area } from '../area.ts';
import { StartUpError } from '../config/start-up-error.ts';
import { fail } from '../errors/failure.ts';
import { isRecentAuthRequired, isSameOrigin, requireRecentAuth, type Authenticate } from './access.ts';
import { cookiesOf } from './cookies.ts';
import { clientAddress } from './ip-network.ts';
import { recordRefusedSignIn } from './refused-sign-in.ts';
import { describeIssue } from './describe-issue.ts';
import type { Call, Caller, CallerOrganization, Implementation, Origin } from './implement.ts';
import { organizationIdOf, type AuthorizeInOrganization } from './organization-access.ts';
import { createStreamSender, type StreamedResponse } from './streamed-response.ts';

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyRequest {
    caller: Caller | null;
    organization: CallerOrganization | null;
  }
}

/** Registers the areas' routes. Access is checked in `onRequest`, before the body is read. */
export function mount(
  app: FastifyInstance,
  areas: Area[],
  deps: {
    authenticate: Authenticate;
    authorizeInOrganization: AuthorizeInOrganization;
    publicUrl: string;
    now: () => number;
  },
): void {
  const { authenticate, authorizeInOrganization, publicUrl, now } = deps;
  app.decorateRequest('caller', null);
  app.decorateRequest('organization', null);
  /** Extension whose plugin is being registered. */
  let extension: string | undefined;
  /** After the plugins, routes in scopes that they have registered follow, of which the extension is unknown. */
  let isInScope = false;
  app.addHook('onRoute', (route) => {
    const { config } = route;
    if ((extension !== undefined || isInScope) && config?.access === undefined)
      throw new Error(
        `${String(route.method)} ${route.url} must declare its access: config: { access: 'public', 'member' or 'admin' }.`,
      );
    if (config && extension !== undefined) config.extension = extension;
    const { access = 'public', permission, sameOrigin = false } = config ?? {};
    if (access === 'public' && !sameOrigin) return;
    const requireAccess: onRequestAsyncHookHandler = async (request) => {
      if (sameOrigin && !isSameOrigin(request.headers, publicUrl)) throw fail(requestErrors.foreignOrigin);
      if (access === 'public') return;
      const caller = await authenticate(request, originOf(request));
      if (access === 'admin' && !caller.isAdmin) throw fail(requestErrors.adminNeeded);
      if (permission !== undefined)
        request.organization = await authorizeInOrganization(caller, organizationIdOf(request), permission);
      else if (caller.limitedTo)
        request.organization = await authorizeInOrganization(caller, caller.limitedTo.organizationId, null);
      request.caller = caller;
    };
    route.onRequest = [requireAccess, ...[route.onRequest ?? []].flat()];
  });
  const { register } = app;
  app.register = function registerNamed(this: FastifyInstance, plugin: unknown, options: unknown) {
    const named =
      extension !== undefined && typeof plugin === 'function'
        ? namePluginErrors(extension, plugin as FastifyPluginCallback)
        : plugin;
    return register.call(this, named as never, options as never);
  } as typeof register;
  for (const area of areas) {
    extension = area.extension;
    registerPlugin(app, area);
  }
  extension = undefined;
  isInScope = true;
  mountRoutes(
    app,
    areas.flatMap(({ routes }) => routes),
    now,
  );
}

function registerPlugin(app: FastifyInstance, { plugin, extension }: Area): void {
  try {
    plugin?.(app);
  } catch (cause) {
    throw extension === undefined ? cause : pluginFailure(extension, cause);
  }
}

const pluginFailure = (extension: string, cause: unknown) =>
  new StartUpError(
    `The plugin of the extension ${extension} failed at the start: ${(cause as Error).message}`,
    { cause },
  );

/** Returns a plugin whose errors name the extension. Fastify does not catch what a plugin with a callback throws. */
function namePluginErrors(extension: string, plugin: FastifyPluginCallback): FastifyPluginAsync {
  const named: FastifyPluginAsync = (scope, options) =>
    new Promise<void>((resolve, reject) => {
      const result: unknown = plugin(scope, options, (error) => (error ? reject(error) : resolve()));
      if (plugin.length < 3) resolve(result as void);
    }).catch((cause: unknown) => {
      throw pluginFailure(extension, cause);
    });
  // The properties of `fastify-plugin`.
  return Object.assign(named, plugin, { default: named });
}

function mountRoutes(app: FastifyInstance, implementations: Implementation[], now: () => number): void {
  const sendStream = createStreamSender(app);
  for (const { route, handle } of implementations) {
    const query = z.catchall(route.query ?? z.object({}), z.never());
    // A body whose fields are all optional may be missing.
    const missingBody = route.body?.safeParse({}).success ? {} : undefined;
    app.route({
      method: route.method,
      url: route.path,
      config: {
        ...(typeof route.access === 'string'
          ? { access: route.access }
          : { access: 'member', permission: route.access.permission }),
        ...(route.sameOrigin && { sameOrigin: true }),
        ...(route.signInMethod && { signInMethod: route.signInMethod }),
        ...(route.acceptsOrganizationTokens && { acceptsOrganizationTokens: true }),
        ...(route.scope !== undefined && { scope: route.scope }),
      },
      // A HEAD request would create the stream only to discard it.
      ...(route.media && { exposeHeadRoute: false }),
      ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
      handler: async (request, reply) => {
        const call: Call<typeof route> = {
          params: parse('params', route.params, request.params) as never,
          query: parse('query', query, withoutEmpty(request.query)) as never,
          headers: parse('headers', route.headers, request.headers) as never,
          body: parse('body', route.body, request.body ?? missingBody) as never,
          caller: request.caller as never,
          organization: request.organization as never,
          origin: originOf(request),
          cookies: cookiesOf(request, reply),
          log: request.log,
          recordRefusal: (code) =>
            route.signInMethod && recordRefusedSignIn(request, route.signInMethod, code),
        };
        if (request.caller && isRecentAuthRequired(route, call.body))
          requireRecentAuth(request.caller, now(), route);
        const result = await handle(call);
        if (route.media) return sendStream(reply, result as StreamedResponse);
        const response = route.response.safeParse(result);
        // A result that violates the contract is a server error; the details are only logged.
        if (!response.success)
          throw new Error(`response of ${route.method} ${route.path}`, { cause: response.error });
        return reply.header('cache-control', 'no-store').send(response.data);
      },
    });
  }
}

/** Omits empty parameters, which Postman sends for values that are not set. */
const withoutEmpty = (query: unknown) =>
  Object.fromEntries(Object.entries(query as Record<string, unknown>).filter(([, value]) => value !== ''));

export function originOf(request: FastifyRequest): Origin {
  const { 'user-agent': userAgent, 'accept-language': acceptLanguage } = request.headers;
  return {
    requestId: request.id,
    address: clientAddress(request),
    ...(userAgent !== undefined && { userAgent }),
    ...(acceptLanguage !== undefined && { acceptLanguage }),
    ...(request.span && { traceparent: request.span.traceparent }),
  };
}

function parse(
  part: 'params' | 'query' | 'headers' | 'body',
  schema: z.ZodMiniObject | undefined,
  value: unknown,
): unknown {
  if (!schema) return undefined;
  if (part === 'body' && (typeof value !== 'object' || value === null || Array.isArray(value)))
    throw fail(requestErrors.malformed);
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  if (part === 'body' && removeNulls(value as object, result.error.issues)) return parse(part, schema, value);
  const unknown = part === 'query' ? describeParameters(schema) : 'This field is not known here.';
  // A Map, because clients choose the names of unknown fields: `constructor` is a property of every object.
  const fields = new Map<string, Message | string>();
  for (const issue of result.error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    for (const key of keys) fields.set([...issue.path, key].join('.'), unknown);
    const name = issue.path.join('.') || part;
    if (keys.length === 0 && !fields.has(name))
      fields.set(name, findSchemaMessage(issue.message) ?? issue.message);
  }
  throw fail(requestErrors.invalid, { fields: Object.fromEntries(fields) });
}

/** Removes the fields that must not be null. Clients generated for C#, Java and Go send null for absent fields. Returns whether there are any. */
function removeNulls(body: object, issues: z.core.$ZodIssue[]): boolean {
  let removed = false;
  for (const { path } of issues) {
    const key = path.at(-1);
    const parent = path.slice(0, -1).reduce<unknown>((at, name) => Object(at)[name], body);
    if (key === undefined || Array.isArray(parent)) continue;
    const fields = Object(parent) as Record<PropertyKey, unknown>;
    if (fields[key] === null) removed = delete fields[key];
  }
  return removed;
}

function describeParameters({ shape }: z.ZodMiniObject): string {
  const names = Object.keys(shape).join(', ');
  return names === ''
    ? 'This call has no query parameters.'
    : `This query parameter is not known here. Known: ${names}.`;
}
