/** Assembles authentication: the sign-in methods with a session on the server, and the kinds of callers. */
import type { FastifyInstance } from 'fastify';
import type { Area } from '../../platform/area.ts';
import { passkeyMethod } from '../../platform/config/sign-in-methods.ts';
import { createAuthenticate, type Authenticate, type CallerKind } from '../../platform/http/access.ts';
import { every } from '../../platform/timers.ts';
import { connectionRoutes } from './connections/connection-routes.ts';
import { createEmailCodes, signInCodeMailName } from './email-codes/email-codes.ts';
import { identityMails } from './identities/identities.ts';
import { identityRoutes } from './identities/identity-routes.ts';
import { migrationLinkRoutes } from './identity-migration/link-routes.ts';
import { createMigrationMail, migrationMailName } from './identity-migration/migration-mail.ts';
import { migrationRoutes } from './identity-migration/admin-routes.ts';
import { mountCallbacks } from './oidc/callback.ts';
import { createOidcSignIn } from './oidc/oidc-sign-in.ts';
import { createEmailVerification } from './oidc/email-verification.ts';
import { signInRoutes } from './oidc/sign-in-routes.ts';
import { authorizationRequestMs } from './oidc/request-store.ts';
import { signInMethodRoutes } from './oidc/provider-health.ts';
import { passkeys } from './passkeys/passkeys.ts';
import { createRenewal } from './sessions/renewal.ts';
import { createSignInContext, type AuthDeps, type SignInContext } from './sign-in-context.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { deleteExpired } from './sessions/session-store.ts';
import {
  createSessionUse,
  sessionCallerKind,
  type RecordSessionUse,
  type Sessions,
} from './sessions/sessions.ts';

const cleanUpIntervalMs = 60_000;

export type Auth = Area & {
  authenticate: Authenticate;
  sessions: Sessions;
  recordSessionUse: RecordSessionUse;
};

export function createAuth(deps: AuthDeps & { tokenKinds: (context: SignInContext) => CallerKind[] }): Auth {
  const { config, database, now } = deps;
  const shared = createSignInContext(deps);
  const { sessions, limits } = shared;
  const oidcSignIn = createOidcSignIn(shared);
  const verificationHandler = createEmailVerification({ ...shared, signIn: oidcSignIn });
  const passkeyFeature = passkeys({
    ...shared,
    codes: () => codes,
    rpId: new URL(deps.publicUrl).hostname,
    isOffered: config.passkeys !== null,
  });
  const codes = createEmailCodes({
    ...shared,
    handlerOf: (method) => (method === passkeyMethod ? passkeyFeature.codeHandler : verificationHandler),
  });
  const context = { ...shared, codes, signIn: oidcSignIn };
  const recordSessionUse = createSessionUse({ ...deps, renew: createRenewal(context) });

  return {
    routes: [
      ...signInRoutes(context),
      ...codes.routes(),
      ...passkeyFeature.routes,
      ...signInMethodRoutes(deps),
      ...sessionRoutes(context),
      ...identityRoutes(context),
      ...connectionRoutes(context),
      ...migrationRoutes(context),
      ...migrationLinkRoutes(context),
    ],
    plugin: (app: FastifyInstance) => mountCallbacks(app, context),
    mails: {
      [signInCodeMailName]: codes.mailTemplate(),
      [migrationMailName]: createMigrationMail(context),
      ...identityMails(context),
      ...passkeyFeature.mails,
    },
    timers: [
      ...passkeyFeature.timers,
      every(cleanUpIntervalMs, 'deleting expired sessions', async () =>
        deleteExpired(database, {
          now: now(),
          absoluteMs: (await limits()).absoluteMs,
          transactionMs: authorizationRequestMs,
        }),
      ),
    ],
    authenticate: createAuthenticate([
      ...deps.tokenKinds(shared),
      sessionCallerKind({ ...deps, sessions, recordUse: recordSessionUse }),
    ]),
    sessions,
    recordSessionUse,
  };
}
