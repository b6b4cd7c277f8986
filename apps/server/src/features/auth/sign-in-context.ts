import type { SignInMethod } from '@vestibule/contract/configuration';
import { readDomainRule } from '@vestibule/contract/settings/rules';
import type { ProviderFinding } from '@vestibule/contract/settings/provider-check';
import { callbackPath } from '@vestibule/contract/sign-in';
import type { Message } from '@vestibule/contract/texts/text';
import type { Logger } from 'pino';
import type { OidcProviderConfig } from '../../platform/config/oidc-providers.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { signInMethodsOf } from '../../platform/config/sign-in-methods.ts';
import type { CoreDeps } from '../../platform/database/database.ts';
import type { Hooks } from '../../platform/extensions/hooks.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { dayMs, hourMs } from '../../platform/time-units.ts';
import type { RecordEvent } from '../invitations/lifecycle/invitation-events.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { createConnectionClients } from './connections/connection-clients.ts';
import { createCanAutoJoin } from './domain-auto-join.ts';
import { createIdentities } from './identities/identities.ts';
import { createOidcClient } from './oidc/oidc-client.ts';
import { createProviderResultRecorder } from './oidc/provider-health.ts';
import { createAuthorizationRequests } from './oidc/request-store.ts';
import { createAuthorizationStarter } from './oidc/start-authorization.ts';
import { createFindPendingInvitation, createProvisionUser } from './provision-user.ts';
import { createSessions } from './sessions/sessions.ts';

/** Returns the findings of the provider check, with this advice. */
type CheckProvider = (
  provider: OidcProviderConfig,
  deps: { publicUrl: string; now: () => number },
  advice: Record<'reach' | 'correctCredentials', () => Message> & { takeIssuer: (issuer: string) => Message },
) => Promise<ProviderFinding[]>;

export type AuthDeps = CoreDeps & {
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
};

export type SignInContext = ReturnType<typeof createSignInContext>;

export function createSignInContext(deps: AuthDeps) {
  const { config, settings, now } = deps;
  const signInMethods: readonly SignInMethod[] = signInMethodsOf(config);
  const limits = async () => {
    const { sessionIdleHours, sessionDays } = await settings.current();
    return { idleMs: sessionIdleHours * hourMs, absoluteMs: sessionDays * dayMs };
  };
  /** Returns the rule of the site for an e-mail domain; null without one. */
  const ruleOf = async (domain: string) =>
    (await settings.current()).signInDomains.map(readDomainRule).find((rule) => rule?.domain === domain) ??
    null;
  /** OpenID Connect clients of the site's sign-in methods. */
  const clients = new Map(
    config.oidc.map((provider) => [
      provider.id,
      createOidcClient(provider, { redirectUri: deps.publicUrl + callbackPath(provider.id), now }),
    ]),
  );
  const allowsPrivate = config.providersOnPrivateAddresses;
  const connectionClients = createConnectionClients({ ...deps, allowsPrivate });
  /** Returns the client of a sign-in method of the site or of an organization; null if it has none. */
  const findClient = async (methodId: string) => clients.get(methodId) ?? connectionClients.find(methodId);
  /** Returns a sign-in method of the site or of an organization. */
  const findMethod = async (methodId: string): Promise<SignInMethod | null> => {
    const own = signInMethods.find(({ id }) => id === methodId);
    if (own) return own;
    const connection = await connectionClients.find(methodId);
    return connection && { id: methodId, kind: 'oidc', name: connection.provider.name };
  };
  const canAutoJoin = createCanAutoJoin({ ...deps, ruleOf });
  const authorizationRequests = createAuthorizationRequests(deps);
  const recordProviderResult = createProviderResultRecorder(deps);
  return {
    ...deps,
    signInMethods,
    clients,
    allowsPrivate,
    connectionClients,
    findClient,
    findMethod,
    sessions: createSessions({ ...deps, limits, signInMethodIds: new Set(valuesOf(signInMethods, 'id')) }),
    authorizationRequests,
    authorization: createAuthorizationStarter({ ...deps, authorizationRequests, recordProviderResult }),
    identities: createIdentities({ ...deps, signInMethods }),
    recordProviderResult,
    limits,
    ruleOf,
    provisionUser: createProvisionUser({ ...deps, canAutoJoin }),
    canAutoJoin,
    findPendingInvitation: createFindPendingInvitation(deps),
  };
}
