/** Decides whether requests to applications are allowed: for proxies, the reserved path and programs. */
import { applicationErrors } from '@vestibule/contract/applications';
import { personErrors } from '@vestibule/contract/people';
import { tokenPrefix } from '@vestibule/contract/profile/tokens';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyRequest } from 'fastify';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import type { DatabaseDeps } from '../../platform/database/database.ts';
import { fail, Failure } from '../../platform/errors/failure.ts';
import { readCookie } from '../../platform/http/cookies.ts';
import { originOf } from '../../platform/http/mount.ts';
import { basicPassword, bearerToken } from '../../platform/identity/access-token.ts';
import { createOpaqueTokens } from '../../platform/identity/opaque-token.ts';
import type { RecordSessionUse, Sessions } from '../auth/sessions/sessions.ts';
import type { PersonalTokens } from '../tokens/personal-token.ts';
import {
  findAccess,
  findAccessOfPerson,
  type GateApplication,
  type GateKey,
  type GateSession,
  type GateUser,
} from './gate-store.ts';
import { isWebSocket, type OriginalRequest } from './original-request.ts';

export const applicationCookie = '__Host-vestibule-application';

/** `refused` with the reason; `user` is absent if the request has no valid sign-in. */
export type Decision =
  | { outcome: 'allowed'; application: GateApplication; user: GateUser }
  | { outcome: 'refused'; application: GateApplication | null; user?: GateUser; failure: Failure };

const refuse = (application: GateApplication | null, failure: Failure, user?: GateUser): Decision => ({
  outcome: 'refused',
  application,
  failure,
  ...(user && { user }),
});

/** Decides by the user's status and the right of access. */
export function decideOn(application: GateApplication, user: GateUser): Decision {
  if (user.status === 'disabled') return refuse(application, fail(personErrors.disabled), user);
  if (!user.may_open) return refuse(application, fail(applicationErrors.noAccess), user);
  return { outcome: 'allowed', application, user };
}

export const createCookieValues = (secret: Buffer) =>
  createOpaqueTokens(secret, { purpose: 'vestibule application session', prefix: '' });

/** Statements that run at the same time. With more, each checks fewer requests: measured, 7 % fewer checks a second. */
const concurrentChecks = 3;

export type Gate = ReturnType<typeof createGate>;

export function createGate(
  deps: DatabaseDeps & {
    secret: Buffer;
    sessions: Pick<Sessions, 'isValid' | 'limits'>;
    recordSessionUse: RecordSessionUse;
    personalTokens: Pick<PersonalTokens, 'ownerWithScope'>;
  },
) {
  const { database, now } = deps;
  const cookieValues = createCookieValues(deps.secret);
  const findBatched = createBatchLoader(
    (keys: GateKey[]) => findAccess(database, keys, new Date(now())),
    concurrentChecks,
  );

  /** Reads the sign-in of the browser at an application. `session` is null if there is none, or it has ended. */
  async function findSession(
    request: FastifyRequest,
    address: string,
  ): Promise<{ application: GateApplication; session: GateSession | null } | null> {
    const value = readCookie(request.headers.cookie, applicationCookie);
    const [row, limits] = await Promise.all([
      findBatched({ address, hash: value === null ? null : cookieValues.hashOf(value) }),
      deps.sessions.limits(),
    ]);
    if (!row) return null;
    const session = row.session && deps.sessions.isValid(row.session, limits) ? row.session : null;
    return { application: row, session };
  }

  /** Decides on a request of a program. The token has a scope for the application, and its owner access. */
  async function decideOnToken(request: FastifyRequest, application: GateApplication, token: string) {
    const scope = `application:${application.application_id}`;
    try {
      const ownerId = await deps.personalTokens.ownerWithScope(token, scope, originOf(request));
      const found = await findAccessOfPerson(
        database,
        { id: application.application_id },
        { id: ownerId, signInMethod: null },
        new Date(now()),
      );
      return found ? decideOn(found, found.user) : refuse(application, fail(applicationErrors.noAccess));
    } catch (error) {
      if (error instanceof Failure) return refuse(application, error);
      throw error;
    }
  }

  return {
    makeCookie: cookieValues.make,
    findSession,

    async decide(request: FastifyRequest, original: OriginalRequest): Promise<Decision> {
      const { headers, raw } = request;
      const found = await findSession(request, original.address);
      if (!found) return refuse(null, fail(applicationErrors.unknownHost));
      const { application, session } = found;
      // Browsers send cookies with WebSockets that pages of other hosts open.
      if (
        isWebSocket(headers, original.method) &&
        headers.origin !== undefined &&
        headers.origin !== original.address
      )
        return refuse(application, fail(requestErrors.foreignOrigin));
      const token =
        bearerToken(raw.rawHeaders, headers.authorization) ??
        basicPassword(raw.rawHeaders, headers.authorization);
      if (token?.startsWith(tokenPrefix)) return decideOnToken(request, application, token);
      // Other credentials are for the application, such as `Bearer null` of a page that has no token.
      if (!session) return refuse(application, fail(requestErrors.signInNeeded));
      const decision = decideOn(application, session);
      if (decision.outcome === 'allowed') await deps.recordSessionUse(session, originOf(request), true);
      return decision;
    },
  };
}
