/**
 * Signs a browser in at an application: `start` on its host sets a cookie that identifies the browser, the start page on this site creates
 * a code, and `callback` on the host redeems it. Only the host's own addresses set its cookies; this works behind every proxy.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { applicationErrors } from '@vestibule/contract/applications';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordChange } from '../../platform/audit/audit-log.ts';
import type { DatabaseDeps } from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit, fail } from '../../platform/errors/failure.ts';
import { isSameOrigin } from '../../platform/http/access.ts';
import { cookiesOf } from '../../platform/http/cookies.ts';
import { originOf } from '../../platform/http/mount.ts';
import { createOpaqueTokens } from '../../platform/identity/opaque-token.ts';
import { sessionCookie, type RecordSessionUse, type Sessions } from '../auth/sessions/sessions.ts';
import { sendRefusal } from './forward-auth.ts';
import { applicationCookie, decideOn, type Gate } from './gate.ts';
import { findAccessOfPerson, insertApplicationSession, insertCode, takeCode } from './gate-store.ts';
import { readReserved, type OriginalRequest } from './original-request.ts';
import type { SendPage } from './pages.ts';
import { readReturnPath, reservedPath, returnPathOf, switchAddressOf } from './return-path.ts';

const browserCookie = '__Host-vestibule-browser';
const browserCookieSeconds = 15 * 60;
const codeMs = 60_000;
const startPath = '/applications/start';
/** Screen on which users sign in first; it returns to `startPath` with `signedIn` and the fragment. */
const signInPath = '/layout/open-application';
/** The start page would sign in again at once, if there is a single sign-in method and the provider still has a session. */
const signedOutPath = '/login?sign-in=signed-out';
const startsPerHour = 600;
const secretPattern = /^[\w-]{43}$/;

type Deps = DatabaseDeps & {
  secret: Buffer;
  publicUrl: string;
  gate: Gate;
  sessions: Sessions;
  recordSessionUse: RecordSessionUse;
  isTrustedProxy: (request: FastifyRequest) => boolean;
  sendPage: SendPage;
};

const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest();

export function mountApplicationSignIn(app: FastifyInstance, deps: Deps): void {
  const { database, now, publicUrl, gate, sessions, sendPage } = deps;
  const codes = createOpaqueTokens(deps.secret, { purpose: 'vestibule application code', prefix: '' });
  const startLimit = createRateLimit(deps, perHour('sign-ins at applications', startsPerHour));

  mountOnHost(app, deps, {
    async start(request, reply, original) {
      const cookies = cookiesOf(request, reply);
      // Several tabs use one secret, so that they can sign in at the same time.
      const known = cookies.get(browserCookie);
      const secret =
        known !== null && secretPattern.test(known) ? known : randomBytes(32).toString('base64url');
      cookies.set(browserCookie, secret, browserCookieSeconds);
      const query = new URLSearchParams({
        address: original.address,
        to: readReturnPath(original.address, original.path),
        browser: hashOf(secret).toString('base64url'),
        ...('another' in (request.query as object) && { another: '1' }),
      });
      return redirect(reply, `${publicUrl}${startPath}?${query.toString()}`);
    },

    async callback(request, reply, original) {
      const { code } = request.query as Record<string, unknown>;
      const cookies = cookiesOf(request, reply);
      const taken = typeof code === 'string' ? await takeCode(database, codes.hashOf(code)) : null;
      const secret = cookies.get(browserCookie);
      const at = new Date(now());
      const isUsable =
        taken !== null &&
        taken.expires_at > at &&
        taken.address === original.address &&
        secret !== null &&
        timingSafeEqual(hashOf(secret), taken.browser_hash);
      // Programs such as Word follow a link up to the sign-in, which the browser then continues without their cookies.
      const url = original.address + (taken?.address === original.address ? taken.return_path : '/');
      if (!isUsable) return sendPage(request, reply, { name: 'expired', status: 400, values: { url } });
      const { token, hash } = gate.makeCookie();
      const isSignedIn = await database.transaction(async (transaction) => {
        const { session_id: sessionId, application_id: applicationId } = taken;
        const found = await insertApplicationSession(transaction, { hash, sessionId, applicationId, at });
        if (found?.is_first)
          await recordChange(transaction, {
            action: 'application.opened',
            actor: found,
            target: { type: 'application', id: applicationId, label: found.application_name },
            origin: originOf(request),
          });
        return found !== null;
      });
      if (!isSignedIn) return sendPage(request, reply, { name: 'expired', status: 400, values: { url } });
      cookies.set(applicationCookie, token, Math.floor((await sessions.limits()).absoluteMs / 1000));
      return redirect(reply, original.address + taken.return_path);
    },
  });

  app.get<{ Querystring: Record<string, unknown> }>(startPath, async (request, reply) => {
    const { address, to, browser, fragment, signedIn, another } = request.query;
    if (
      typeof address !== 'string' ||
      typeof to !== 'string' ||
      typeof browser !== 'string' ||
      !secretPattern.test(browser)
    )
      return sendPage(request, reply, { name: 'expired', status: 400, values: { url: `${publicUrl}/` } });
    const refuseHost = () =>
      sendRefusal(sendPage, request, reply, {
        failure: fail(applicationErrors.unknownHost),
        application: null,
      });
    // Other texts, such as one with NUL, must not reach the database.
    if (URL.parse(address)?.origin !== address) return refuseHost();
    const [, query = ''] = request.url.split('?');
    // The screen offers to sign out first.
    if (another !== undefined) return redirect(reply, `${publicUrl}${signInPath}?${query}`);
    const session = await sessions.find(cookiesOf(request, reply).get(sessionCookie));
    if (!session) {
      // A user who has signed in has no session with Azure AD B2C; the sign-in screen would redirect here again.
      if (signedIn === undefined) return redirect(reply, `${publicUrl}${signInPath}?${query}`);
      // The page names registered applications only: the address is text of any sender of a link.
      if (!(await gate.findSession(request, address))) return refuseHost();
      const values = { application: new URL(address).host, switchUrl: switchAddressOf(address) };
      return sendPage(request, reply, { name: 'sessionNeeded', status: 403, values });
    }
    const at = now();
    const found = await findAccessOfPerson(
      database,
      { address },
      { id: session.id, signInMethod: session.way },
      new Date(at),
    );
    if (!found) return refuseHost();
    const decision = decideOn(found, found.user);
    if (decision.outcome === 'refused') return sendRefusal(sendPage, request, reply, decision);
    assertWithinRateLimit(await startLimit.take(session.session_id));
    await deps.recordSessionUse(session, originOf(request), true);
    const { token, hash } = codes.make();
    const withFragment = typeof fragment === 'string' && fragment.startsWith('#') ? to + fragment : to;
    await insertCode(database, {
      hash,
      applicationId: found.application_id,
      sessionId: session.session_id,
      browserHash: Buffer.from(browser, 'base64url'),
      returnPath: returnPathOf(found.address, withFragment),
      expiresAt: new Date(at + codeMs),
    });
    return redirect(reply, `${found.address}${reservedPath}/callback?code=${token}`);
  });
}

type OnHost = (
  request: FastifyRequest,
  reply: FastifyReply,
  original: OriginalRequest,
) => Promise<FastifyReply>;

/** Mounts the addresses below the reserved path, which accept requests through the proxy of a registered application only. */
function mountOnHost(
  app: FastifyInstance,
  { gate, sessions, publicUrl, isTrustedProxy, sendPage }: Deps,
  { start, callback }: { start: OnHost; callback: OnHost },
): void {
  const onHost =
    (
      handle: (
        ...args: [...Parameters<OnHost>, Awaited<ReturnType<Gate['findSession']>> & object]
      ) => Promise<FastifyReply>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store');
      const original = isTrustedProxy(request) ? readReserved(request) : null;
      const found = original && (await gate.findSession(request, original.address));
      if (found) return handle(request, reply, original, found);
      const failure = fail(original ? applicationErrors.unknownHost : applicationErrors.untrustedProxy);
      return sendRefusal(sendPage, request, reply, { failure, application: null });
    };

  app.get(`${reservedPath}/start`, onHost(start));
  app.get(`${reservedPath}/callback`, onHost(callback));

  // For nginx, which otherwise shows its built-in page for 403.
  app.get(
    `${reservedPath}/denied`,
    onHost(async (request, reply, original) => {
      const decision = await gate.decide(request, original);
      if (decision.outcome === 'allowed') return redirect(reply, `${original.address}/`);
      return sendRefusal(sendPage, request, reply, decision);
    }),
  );

  app.get(
    `${reservedPath}/sign-out`,
    onHost(async (request, reply, _original, { application, session }) => {
      if (!session) return redirect(reply, publicUrl + signedOutPath);
      const values = { application: application.application_name };
      return sendPage(request, reply, { name: 'signOut', status: 200, values });
    }),
  );

  const signOut = onHost(async (request, reply, original, { session }) => {
    if (!isSameOrigin(request.headers, original.address)) throw fail(requestErrors.foreignOrigin);
    if (session) {
      const selector = { personId: session.id, id: session.session_id };
      await sessions.end(selector, 'signed out', null, originOf(request));
    }
    cookiesOf(request, reply).clear(applicationCookie);
    return reply
      .code(303)
      .header('location', publicUrl + signedOutPath)
      .send();
  });
  // Ends the session of this site, and with it the sign-ins at all applications.
  void app.register((scope, _options, done) => {
    // The form is empty.
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, _body, parsed) => parsed(null),
    );
    scope.post(`${reservedPath}/sign-out`, { config: { access: 'public' } }, signOut);
    done();
  });
}

const redirect = (reply: FastifyReply, url: string): FastifyReply =>
  reply.code(302).headers({ location: url, 'cache-control': 'no-store' }).send();
