/** Assembles the application from its features and extensions. */
import type { FindTxtRecords } from './platform/dns/txt-records.ts';
import { signInErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import { tokenCallErrors } from '@vestibule/contract/profile/tokens';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { activity } from './features/activity/activity.ts';
import { applications } from './features/applications/applications.ts';
import { attachments } from './features/attachments/attachments.ts';
import type { Scanning } from './features/attachments/scanning/scanning.ts';
import { configuration } from './features/configuration/configuration.ts';
import { dashboard } from './features/dashboard/dashboard.ts';
import { createOnboardingStore } from './features/dashboard/onboarding.ts';
import { createDirectoryTokens } from './features/scim/scim-token.ts';
import { scim } from './features/scim/scim.ts';
import { events } from './features/events/events.ts';
import { createExtensions } from './features/extensions/extensions.ts';
import { invitations } from './features/invitations/invitations.ts';
import { createEventRecorder } from './features/invitations/lifecycle/invitation-events.ts';
import { inviteTokenIssuer } from './features/invitations/link/invite-token.ts';
import type { ShortCodes } from './features/invitations/link/short-code.ts';
import type { SigningKeys } from './features/invitations/link/signing-keys.ts';
import { retention } from './features/retention/retention.ts';
import { findPeopleByEmail } from './features/people/people-by-email.ts';
import { people } from './features/people/people.ts';
import { readRoles } from './features/organizations/organization-store.ts';
import { organizations } from './features/organizations/organizations.ts';
import { removedPeople } from './features/people/removed/removed-people.ts';
import { profile } from './features/profile/profile.ts';
import { checkOidcProvider } from './features/provider-check/check-oidc.ts';
import { providerCheck } from './features/provider-check/provider-check.ts';
import { createRecentTokens } from './features/provider-check/recent-tokens.ts';
import type { SendImmediately } from './features/settings/mails.ts';
import type { SettingsStore } from './features/settings/settings-store.ts';
import { settings } from './features/settings/settings.ts';
import { accessTokenCallerKind } from './features/auth/admission.ts';
import { preloadHeaders } from './features/auth/sessions/preload-headers.ts';
import { sessionCookie } from './features/auth/sessions/sessions.ts';
import { createAuth } from './features/auth/auth.ts';
import { createFindConnection } from './features/auth/connections/connection-clients.ts';
import type { PersonalTokens } from './features/tokens/personal-token.ts';
import { tokens } from './features/tokens/tokens.ts';
import { views } from './features/views/views.ts';
import { webhooks } from './features/webhooks/webhooks.ts';
import type { Area } from './platform/area.ts';
import type { AuditSeals } from './platform/audit/audit-seals.ts';
import type { Config } from './platform/config/read-config.ts';
import type { CoreDeps } from './platform/database/database.ts';
import { createExportList } from './platform/export/export-list.ts';
import { sendErrors } from './platform/http/error-response.ts';
import { createHttpServer } from './platform/http/http-server.ts';
import { createAuthorizeInOrganization, createPermissions } from './platform/http/organization-access.ts';
import { redirectLoopback, redirectSurplusSlashes } from './platform/http/page/redirects.ts';
import { mount } from './platform/http/mount.ts';
import type { LoadedExtension } from './platform/extensions/extension.ts';
import { checkRoutes } from './platform/extensions/check-extensions.ts';
import type { OutboundHttp } from './platform/http/outbound-http.ts';
import { contentSecurityPolicy } from './platform/http/page/security-headers.ts';
import { serveWebFiles } from './platform/http/page/web-files.ts';
import type { Provider } from './platform/identity/provider.ts';
import type { MailQueue } from './platform/mail/mail-queue.ts';
import type { FindMailServers } from './platform/mail/mail-servers.ts';
import { apiDescription } from './platform/openapi/openapi-routes.ts';
import type { FileStorage } from './platform/storage/storage.ts';
import { exposeTelemetry, resourceMetrics } from './platform/telemetry/metrics.ts';

/** External dependencies. Tests pass their own clock, ids, provider and database. */
export type Dependencies = CoreDeps & {
  config: Config;
  logger: Logger;
  /** Azure AD B2C; null if it is not a sign-in method. */
  provider: Provider | null;
  mail: MailQueue;
  findMailServers: FindMailServers;
  findTxtRecords: FindTxtRecords;
  settings: SettingsStore;
  outboundHttp: OutboundHttp;
  /** Sends a mail immediately, without the queue; null if mail is disabled. */
  sendNow: SendImmediately | null;
  shortCodes: ShortCodes;
  signingKeys: SigningKeys;
  personalTokens: PersonalTokens;
  auditSeals: AuditSeals;
  storage: FileStorage;
  scanning: Scanning | null;
  /** Site key (platform/config/site-key.ts), from which other keys are derived. */
  secret: Buffer;
  webDirectory: string;
  extensions: LoadedExtension[];
  traceRequests?: ((app: FastifyInstance) => void) | undefined;
};

/** The server and its features; the caller starts their periodic tasks and mail templates. */
export async function createApp(deps: Dependencies): Promise<{ app: FastifyInstance; areas: Area[] }> {
  const { config, database, provider, now } = deps;
  const { publicUrl, archiveDirectory } = config;
  const app = createHttpServer({ ...deps, publicUrl, trustProxy: config.trustProxy });
  if (config.passkeys) redirectLoopback(app, publicUrl);
  redirectSurplusSlashes(app, publicUrl);
  const telemetry = exposeTelemetry(app, { database, metricsToken: config.metricsToken });
  const sendPage = await serveWebFiles(app, {
    directory: deps.webDirectory,
    // Preload MSAL if B2C is the only sign-in method, otherwise the server-side sign-in.
    mainChunk: `src/features/auth/${config.oidc.length > 0 || config.passkeys ? 'session-auth' : 'provider/provider-client'}.ts`,
    signedOutChunks: config.passkeys ? ['src/features/auth/passkeys/login-panel.ts'] : [],
    preloadHeaders,
    pagePolicy: contentSecurityPolicy(
      config.provider ? [config.provider.authBaseUrl, config.provider.url] : [],
    ),
  });
  sendErrors(app, sendPage);

  const exportList = createExportList({ database, now });
  const recordEvent = createEventRecorder(database);
  const recentTokens = createRecentTokens(now);
  const recordOnboardingStep = createOnboardingStore({ database, now });
  const directoryTokens = createDirectoryTokens(deps);
  const { areas: extensions, ...ofExtensions } = await createExtensions({ ...deps, publicUrl, exportList });
  const shared = {
    ...deps,
    ...ofExtensions,
    publicUrl,
    exportList,
    recordEvent,
    recentTokens,
    recordOnboardingStep,
    directoryTokens,
  };
  const registration = config.provider;
  const permissions = createPermissions(extensions.flatMap(({ permissions: own = [] }) => own));
  const authorizeInOrganization = createAuthorizeInOrganization(deps, permissions);
  const auth = createAuth({
    ...shared,
    permissionsOfRole: permissions.permissionsOf,
    checkProvider: checkOidcProvider,
    tokenKinds: (context) => [
      deps.personalTokens.kind,
      directoryTokens.kind,
      ...(registration && provider
        ? [accessTokenCallerKind({ ...shared, ...context, registration, provider })]
        : []),
    ],
  });
  const areas = [
    configuration(shared),
    auth,
    people(shared),
    removedPeople({ ...shared, archiveDirectory }),
    profile(shared),
    activity(shared),
    dashboard(shared),
    views(shared),
    ...attachments({ ...shared, authorizeInOrganization }),
    tokens(shared),
    webhooks(shared),
    scim(shared),
    settings({ ...shared, findPeopleByEmail }),
    providerCheck({ ...shared, inviteTokenIssuer: inviteTokenIssuer(publicUrl) }),
    invitations({
      ...shared,
      permissions,
      readOrganizationRoles: () => readRoles(database),
      findConnection: createFindConnection(deps),
      clientId: registration?.clientId ?? publicUrl,
    }),
    retention({ ...shared, directory: archiveDirectory }),
    organizations({ ...shared, permissions }),
    applications({
      ...shared,
      ...auth,
      trustProxy: config.trustProxy,
      hasSessions: config.passkeys !== null || config.oidc.length > 0,
    }),
    ...extensions,
  ];
  checkRoutes(areas);
  areas.push(events({ ...shared, areas, permissions }));
  areas.push(
    apiDescription(areas, {
      title: config.isDemonstration ? `${config.productName} (for demonstration only)` : config.productName,
      publicUrl,
      cookie: sessionCookie,
      signInErrors: [...signInErrors, signInProblems.tooOften, ...tokenCallErrors],
    }),
  );
  telemetry.measure([...resourceMetrics(deps), ...areas.flatMap(({ measures = [] }) => measures)]);
  mount(app, areas, { authenticate: auth.authenticate, authorizeInOrganization, publicUrl, now });
  return { app, areas };
}
