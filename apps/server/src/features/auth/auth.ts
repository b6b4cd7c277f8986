/** Assembles authentication: the sign-in methods with a session on the server, and the kinds of callers. */
import type { Hooks } from '../../platform/extensions/hooks.ts';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { readDomainRule } from '@vestibule/contract/settings/rules';
import { callbackPath } from '@vestibule/contract/sign-in';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { passkeyMethod, signInMethodsOf } from '../../platform/config/sign-in-methods.ts';
import type { CoreDeps } from '../../platform/database/database.ts';
import { createAuthenticate, type Authenticate, type CallerKind } from '../../platform/http/access.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { every } from '../../platform/timers.ts';
import { valuesOf } from '../../platform/values-of.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import type { RecordEvent } from '../invitations/lifecycle/invitation-events.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { createConnectionClients } from './connections/connection-clients.ts';
import { connectionRoutes, type CheckProvider } from './connections/connection-routes.ts';
import { createEmailCodes, signInCodeMailName } from './email-codes/email-codes.ts';
import { createIdentities, identityMails } from './identities/identities.ts';
import { identityRoutes } from './identities/identity-routes.ts';
import { migrationLinkRoutes } from './identity-migration/link-routes.ts';
import { createMigrationMail, migrationMailName } from './identity-migration/migration-mail.ts';
import { migrationRoutes } from './identity-migration/admin-routes.ts';
import { createProvisionUser, createFindPendingInvitation, type ProvisionUser } from './provision-user.ts';
import { createCanAutoJoin } from './domain-auto-join.ts';
import { mountCallbacks } from './oidc/callback.ts';
import { createAuthorizationStarter } from './oidc/start-authorization.ts';
import { createOidcClient } from './oidc/oidc-client.ts';
import { createOidcSignIn } from './oidc/oidc-sign-in.ts';
import { createEmailVerification } from './oidc/email-verification.ts';
import { signInRoutes } from './oidc/sign-in-routes.ts';
import { createAuthorizationRequests, authorizationRequestMs } from './oidc/request-store.ts';
import {
  createProviderResultRecorder,
  signInMethodRoutes,
  type RecordProviderResult,
} from './oidc/provider-health.ts';
import { passkeys } from './passkeys/passkeys.ts';
import { createRenewal } from './sessions/renewal.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { deleteExpired } from './sessions/session-store.ts';
import {
  createSessions,
  createSessionUse,
  sessionCallerKind,
  type RecordSessionUse,
  type Sessions,
} from './sessions/sessions.ts';

const cleanUpIntervalMs = 60_000;
const hourMs = 3_600_000;

type Deps = CoreDeps & {
  config: Config;
  logger: Logger;
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
  recordEvent: RecordEvent;
  hooks: Hooks;
  secret: Buffer;
  publicUrl: string;
  permissionsOfRole: Permissions['permissionsOf'];
  checkProvider: CheckProvider;
  tokenKinds: (context: {
    provisionUser: ProvisionUser;
    recordProviderResult: RecordProviderResult;
  }) => CallerKind[];
};

export type Auth = Area & {
  authenticate: Authenticate;
  sessions: Sessions;
  recordSessionUse: RecordSessionUse;
};

export function createAuth(deps: Deps): Auth {
  const { config, database, settings, now } = deps;
  const signInMethods = signInMethodsOf(config);
  const limits = async () => {
    const { sessionIdleHours, sessionDays } = await settings.current();
    return { idleMs: sessionIdleHours * hourMs, absoluteMs: sessionDays * 24 * hourMs };
  };
  const ruleOf = async (domain: string) =>
    (await settings.current()).signInDomains.map(readDomainRule).find((rule) => rule?.domain === domain) ??
    null;
  const clients = new Map(
    config.oidc.map((provider) => [
      provider.id,
      createOidcClient(provider, { redirectUri: deps.publicUrl + callbackPath(provider.id), now }),
    ]),
  );
  const connectionClients = createConnectionClients({
    ...deps,
    allowsPrivate: config.providersOnPrivateAddresses,
  });
  const findClient = async (methodId: string) => clients.get(methodId) ?? connectionClients.find(methodId);
  const findMethod = async (methodId: string): Promise<SignInMethod | null> => {
    const own = signInMethods.find(({ id }) => id === methodId);
    if (own) return own;
    const connection = await connectionClients.find(methodId);
    return connection && { id: methodId, kind: 'oidc', name: connection.provider.name };
  };
  const canAutoJoin = createCanAutoJoin({ ...deps, ruleOf });
  const provisionUser = createProvisionUser({ ...deps, canAutoJoin });
  const sessions = createSessions({
    ...deps,
    limits,
    signInMethodIds: new Set(valuesOf(signInMethods, 'id')),
  });
  const authorizationRequests = createAuthorizationRequests(deps);
  const recordProviderResult = createProviderResultRecorder(deps);
  const identities = createIdentities({ ...deps, signInMethods });
  const oidcSignIn = createOidcSignIn({ ...deps, sessions, provisionUser, identities });
  const findPendingInvitation = createFindPendingInvitation(deps);
  const authorization = createAuthorizationStarter({ ...deps, authorizationRequests, recordProviderResult });
  const shared = {
    ...deps,
    signInMethods,
    clients,
    connectionClients,
    findClient,
    findMethod,
    sessions,
    authorizationRequests,
    authorization,
    identities,
    recordProviderResult,
    limits,
    provisionUser,
    canAutoJoin,
    findPendingInvitation,
  };
  const invitationCodeUse = createEmailVerification({ ...shared, signIn: oidcSignIn });
  const passkeyFeature = passkeys({
    ...shared,
    codes: () => codes,
    rpId: new URL(deps.publicUrl).hostname,
    isOffered: config.passkeys !== null,
  });
  const codes = createEmailCodes({
    ...shared,
    useOf: (method) => (method === passkeyMethod ? passkeyFeature.codeUse : invitationCodeUse),
  });
  const context = { ...shared, codes, signIn: oidcSignIn };
  const recordSessionUse = createSessionUse({ ...deps, renew: createRenewal(context) });

  return {
    routes: [
      ...signInRoutes({ ...context, methodOfDomain: async (domain) => (await ruleOf(domain))?.way ?? null }),
      ...codes.routes(),
      ...passkeyFeature.routes,
      ...signInMethodRoutes(deps),
      ...sessionRoutes(context),
      ...identityRoutes(context),
      ...connectionRoutes({ ...context, allowsPrivate: config.providersOnPrivateAddresses }),
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
      ...deps.tokenKinds({ provisionUser, recordProviderResult }),
      sessionCallerKind({ ...deps, sessions, recordUse: recordSessionUse }),
    ]),
    sessions,
    recordSessionUse,
  };
}
