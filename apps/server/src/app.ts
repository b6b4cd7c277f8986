/**
 * The application's table of contents: every feature, by name, and whatever rooms a team has put in. Resources are opened in
 * main.ts and passed in.
 */
import { fileURLToPath } from 'node:url';
import { signInErrors } from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import { tokenCallErrors } from '@vestibule/contract/tokens';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { activity } from './features/activity/activity.ts';
import { attachments } from './features/attachments/attachments.ts';
import { createFileLimits } from './features/attachments/files/file-limits.ts';
import { createFileTickets } from './features/attachments/contents/file-ticket.ts';
import { serveFiles } from './features/attachments/contents/serve-files.ts';
import type { Scanning } from './features/attachments/scanning/scanning.ts';
import type { FileStorage } from './platform/storage/storage.ts';
import { createUploadStore } from './features/attachments/uploads/upload-store.ts';
import { acceptUploads } from './features/attachments/uploads/uploads.ts';
import { dashboard } from './features/dashboard/dashboard.ts';
import { events } from './features/events/events.ts';
import { configuration, type FixedConfiguration } from './features/configuration/configuration.ts';
import { createEventRecorder } from './features/invitations/life/invitation-events.ts';
import { invitations } from './features/invitations/invitations.ts';
import { createInviteTokens } from './features/invitations/link/invite-token.ts';
import { inviteTokenIssuer, publishInviteMetadata } from './features/invitations/link/invite-metadata.ts';
import { watchOpenings } from './features/invitations/link/link-routes.ts';
import type { ShortCodes } from './features/invitations/link/short-code.ts';
import type { SigningKeys } from './features/invitations/link/signing-keys.ts';
import type { MailQueue } from './platform/mail/mail-queue.ts';
import { createAdmission } from './features/sign-in/admission.ts';
import { people } from './features/people/people.ts';
import { removedPeople } from './features/people/removed/removed-people.ts';
import { profile } from './features/profile/profile.ts';
import { serveLogo } from './features/settings/logo.ts';
import type { SendNow } from './features/settings/mails.ts';
import type { SettingsStore } from './features/settings/settings-store.ts';
import { createSeenTokens } from './features/provider-check/seen-tokens.ts';
import { settings } from './features/settings/settings.ts';
import type { PersonalTokens } from './features/tokens/personal-token.ts';
import { tokens } from './features/tokens/tokens.ts';
import type { AuditSeals } from './platform/audit/audit-seals.ts';
import { views } from './features/views/views.ts';
import type { Config } from './platform/config/read-config.ts';
import type { Database } from './platform/database/database.ts';
import { fail } from './platform/errors/failure.ts';
import { createExportList } from './platform/export/export-list.ts';
import { answerErrors } from './platform/http/error-answer.ts';
import { createHttpServer } from './platform/http/http-server.ts';
import type { Implementation } from './platform/http/implement.ts';
import { mount, type Authenticate } from './platform/http/mount.ts';
import { openRooms } from './platform/http/open-rooms.ts';
import { describeApi } from './platform/openapi/openapi.ts';
import { publishApi } from './platform/openapi/publish-api.ts';
import { contentSecurityPolicy } from './platform/http/security-headers.ts';
import { serveWebFiles } from './platform/http/web-files.ts';
import { bearerToken, createAccessTokenVerifier } from './platform/identity/access-token.ts';
import type { Provider } from './platform/identity/provider.ts';
import { exposeTelemetry } from './platform/telemetry/metrics.ts';

const roomsDirectory = fileURLToPath(new URL('rooms', import.meta.url));

/** What the application needs from outside. Tests pass their own clock, ids, provider and database. */
export type Dependencies = {
  config: Config;
  logger: Logger;
  database: Database;
  provider: Provider;
  mail: MailQueue;
  settings: SettingsStore;
  /** Hands a mail to the mail server at once; null when mails are switched off. */
  sendNow: SendNow | null;
  shortCodes: ShortCodes;
  signingKeys: SigningKeys;
  personalTokens: PersonalTokens;
  auditSeals: AuditSeals;
  /** Where the contents of attachments are. */
  storage: FileStorage;
  /** Has new files checked for viruses; null when nobody does. */
  scanning: Scanning | null;
  /** The server's secret, from which the keys of links to files are derived. */
  secret: Buffer;
  /** Directory of the built web application. */
  webDirectory: string;
  now: () => number;
  newId: () => string;
};

export async function createApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, database, provider, now, newId } = deps;
  const app = createHttpServer({
    logger: deps.logger,
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
  });
  exposeTelemetry(app, {
    metricsToken: config.metricsToken,
    async isReady() {
      try {
        await database.query({ name: 'ping', text: 'select 1' });
        return true;
      } catch {
        return false;
      }
    },
  });

  const answerOther = await serveWebFiles(app, {
    directory: deps.webDirectory,
    pagePolicy: contentSecurityPolicy([
      config.provider.authBaseUrl,
      ...(config.embeddedProvider ? [embeddedProviderUrl(config.embeddedProvider.port)] : []),
    ]),
  });
  answerErrors(app, answerOther);

  serveLogo(app, database);
  publishInviteMetadata(app, deps.signingKeys, config.publicUrl);
  const exportList = createExportList({ database, now });
  const recordEvent = createEventRecorder(database);
  watchOpenings(app, { ...deps, recordEvent, publicUrl: config.publicUrl });
  const seenTokens = createSeenTokens(now);
  const authenticate = authentication(deps);
  const { limits } = config.attachments;
  const tickets = createFileTickets(deps);
  const counting = createFileLimits(deps);
  const uploads = createUploadStore({
    ...deps,
    scans: deps.scanning !== null,
    onStored: (id) => deps.scanning?.check(id),
  });
  acceptUploads(app, { ...deps, uploads, limits, counting, authenticate });
  serveFiles(app, { ...deps, tickets });
  const rooms = await openRooms(roomsDirectory, { database, exportList, now, newId });
  const areas = [...features(deps), ...rooms];
  const implementations = [...areas, ...events({ ...deps, areas: areas.map(({ route }) => route) })];
  publishApi(app, () =>
    describeApi(
      implementations.map(({ route }) => route),
      {
        title: config.isDemonstration ? `${config.productName} (for demonstration only)` : config.productName,
        publicUrl: config.publicUrl,
        signInErrors: [...signInErrors, ...tokenCallErrors],
      },
    ),
  );
  mount(app, implementations, authenticate);
  return app;

  function features(all: Dependencies): Implementation[] {
    return [
      ...configuration(fixedConfiguration(config), all.settings),
      ...people({ ...all, exportList }),
      ...removedPeople({ ...all, archiveDirectory: config.archiveDirectory }),
      ...profile(all),
      ...activity({ ...all, exportList }),
      ...dashboard(all),
      ...views(all),
      ...attachments({ ...all, tickets, limits, counting, scans: all.scanning !== null }),
      ...tokens(all),
      ...settings({
        ...all,
        providerCheck: {
          provider: config.provider,
          providerUrl: config.embeddedProvider
            ? embeddedProviderUrl(config.embeddedProvider.port)
            : config.provider.authBaseUrl,
          isEmbedded: config.embeddedProvider !== null,
          publicUrl: config.publicUrl,
          inviteTokenIssuer: inviteTokenIssuer(config.publicUrl),
          publishedKeyIds: async () =>
            (await all.signingKeys.published()).keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])),
          seenTokens,
          fetch,
          now,
        },
      }),
      ...invitations({
        ...all,
        inviteTokens: createInviteTokens({
          keys: all.signingKeys,
          issuer: inviteTokenIssuer(config.publicUrl),
          audience: config.provider.clientId,
          now,
          newId,
        }),
        exportList,
        recordEvent,
        publicUrl: config.publicUrl,
      }),
    ];
  }

  function authentication(all: Dependencies): Authenticate {
    const verify = createAccessTokenVerifier(
      {
        keys: provider.keys,
        async rules() {
          return {
            issuer: await provider.issuer(),
            audience: config.provider.audience,
            // Not the password-reset policy: its tokens end with the reset.
            policies: [config.provider.signInPolicy, config.provider.signUpPolicy],
            scope: config.provider.apiScopes[0]?.split('/').at(-1) ?? '',
          };
        },
      },
      now,
    );
    const admit = createAdmission({ ...all, recordEvent, invitationClaim: config.provider.invitationClaim });
    return async (request, origin) => {
      const token = bearerToken(request.raw.rawHeaders, request.headers.authorization);
      if (token === null) throw fail(requestErrors.signInNeeded);
      if (all.personalTokens.isOne(token))
        return all.personalTokens.authenticate(token, request.routeOptions.config.scope, origin);
      try {
        const claims = await verify(token);
        seenTokens.accepted(token, claims);
        return await admit(claims, origin);
      } catch (error) {
        seenTokens.refused(error);
        throw error;
      }
    };
  }
}

/** Where the embedded provider is reached by browsers and by this server. */
export const embeddedProviderUrl = (port: number): string => `http://localhost:${port}`;

function fixedConfiguration(config: Config): FixedConfiguration {
  const { provider } = config;
  return {
    ClientId: provider.clientId,
    AuthBaseUrl: provider.authBaseUrl,
    TenantName: provider.tenantName,
    SignInPolicy: provider.signInPolicy,
    SignUpPolicy: provider.signUpPolicy,
    ResetPasswordPolicy: provider.resetPasswordPolicy,
    ApiScopes: provider.apiScopes,
    GridLicenseKey: config.gridLicenseKey,
    IsDemonstration: config.isDemonstration,
    EmbeddedProviderUrl: config.embeddedProvider ? embeddedProviderUrl(config.embeddedProvider.port) : null,
  };
}
