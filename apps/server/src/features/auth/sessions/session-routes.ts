import { requirePerson } from '../../people/people-store.ts';
import { isConnectionMethod } from '../../../platform/config/sign-in-methods.ts';
import {
  confirmSignIn,
  endMySession,
  endOtherSessions,
  endSession,
  endSessionOf,
  listSessions,
  listSessionsOf,
  sessionErrors,
  type Session,
} from '@vestibule/contract/sign-in/sessions';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { describeAgent } from '../../../platform/http/describe-agent.ts';
import { listIdentityRows } from '../identities/identity-store.ts';

import { listSessionRows, type SessionRow } from './session-store.ts';
import { userEndReason, sessionCookie } from './sessions.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function sessionRoutes(deps: SignInContext): Implementation[] {
  const { database, sessions, authorization } = deps;

  async function sessionsOf(personId: string, current: string | undefined): Promise<{ rows: Session[] }> {
    const rows = await listSessionRows(database, personId, await deps.limits(), deps.now());
    return { rows: await Promise.all(rows.map((row) => toSession(row, current))) };
  }

  async function toSession(row: SessionRow, current: string | undefined): Promise<Session> {
    return {
      id: row.id,
      way: (await deps.findMethod(row.way))?.name ?? row.way,
      address: row.address,
      ...describeAgent(row.user_agent),
      since: row.created_at.toISOString(),
      lastSeenAt: row.seen_at.toISOString(),
      current: row.id === current,
    };
  }

  return [
    implement(endSession, async ({ cookies, origin }) => {
      const ended = await sessions.endHere(cookies, origin);
      const client = ended && (await deps.findClient(ended.way));
      if (!client) return { url: null };
      const idToken = ended.id_token_sealed && sessions.tokenEncryption.decrypt(ended.id_token_sealed);
      return { url: await client.endSessionUrl(idToken, `${deps.publicUrl}/`) };
    }),

    implement(confirmSignIn, async ({ caller, body, cookies, origin, log }) => {
      await authorization.countStart(origin);
      const identities = await listIdentityRows(database, caller.id);
      const method = body.way ?? (await sessions.find(cookies.get(sessionCookie)))?.way;
      const oidcIdentities = identities.filter(
        ({ way }) => deps.clients.has(way) || (way === method && isConnectionMethod(way)),
      );
      // If the session's own method has no OpenID Connect client, use another identity of the person.
      const identity =
        oidcIdentities.find((candidate) => candidate.way === method) ??
        (body.way === undefined ? oidcIdentities[0] : undefined);
      const client = identity && (await deps.findClient(identity.way));
      if (!client)
        throw fail(body.way === undefined ? signInProblems.cannotConfirm : signInStartErrors.wayUnknown);
      return authorization.start(
        client,
        { returnTo: body.returnTo, purpose: 'confirm', personId: caller.id, sessionId: caller.session },
        { loginHint: identity.email ?? caller.email, language: body.language, prompt: 'login' },
        { cookies, origin, log },
      );
    }),

    implement(listSessions, ({ caller }) => sessionsOf(caller.id, caller.session)),

    implement(endMySession, async ({ caller, params, origin }) => {
      const selector = { personId: caller.id, id: params.sessionId };
      const [ended] = await sessions.end(selector, userEndReason, caller, origin);
      if (!ended) throw fail(sessionErrors.notFound);
      return { id: ended.id };
    }),

    implement(endOtherSessions, async ({ caller, origin }) => {
      const selector = { personId: caller.id, except: caller.session ?? null };
      return { ended: (await sessions.end(selector, userEndReason, caller, origin)).length };
    }),

    implement(listSessionsOf, async ({ caller, params }) => {
      await requirePerson(database, params.personId);
      return sessionsOf(params.personId, caller.session);
    }),

    implement(endSessionOf, async ({ caller, params, origin }) => {
      const selector = { personId: params.personId, id: params.sessionId };
      const [ended] = await sessions.end(selector, 'by an administrator', caller, origin);
      if (!ended) throw fail(sessionErrors.notFound);
      return { id: ended.id };
    }),
  ];
}
