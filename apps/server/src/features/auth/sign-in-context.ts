import type { SignInMethod } from '@vestibule/contract/configuration';
import type { CoreDeps } from '../../platform/database/database.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { ConnectionClient, ConnectionClients } from './connections/connection-clients.ts';
import type { Identities } from './identities/identities.ts';
import type { ProvisionUser, FindPendingInvitation } from './provision-user.ts';
import type { CanAutoJoin } from './domain-auto-join.ts';
import type { AuthorizationStarter } from './oidc/start-authorization.ts';
import type { OidcClient } from './oidc/oidc-client.ts';
import type { AuthorizationRequests } from './oidc/request-store.ts';
import type { RecordProviderResult } from './oidc/provider-health.ts';
import type { SessionLimits } from './sessions/session-store.ts';
import type { Sessions } from './sessions/sessions.ts';

export type SignInContext = CoreDeps & {
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
  publicUrl: string;
  signInMethods: readonly SignInMethod[];
  /** OpenID Connect clients of the site's sign-in methods. */
  clients: ReadonlyMap<string, OidcClient>;
  connectionClients: ConnectionClients;
  /** Returns the client of a sign-in method of the site or of an organization; null if it has none. */
  findClient: (methodId: string) => Promise<OidcClient | ConnectionClient | null>;
  /** Returns a sign-in method of the site or of an organization. */
  findMethod: (methodId: string) => Promise<SignInMethod | null>;
  sessions: Sessions;
  authorizationRequests: AuthorizationRequests;
  authorization: AuthorizationStarter;
  identities: Identities;
  recordProviderResult: RecordProviderResult;
  limits: () => Promise<SessionLimits>;
  provisionUser: ProvisionUser;
  canAutoJoin: CanAutoJoin;
  findPendingInvitation: FindPendingInvitation;
};
