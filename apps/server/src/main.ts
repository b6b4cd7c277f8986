/** Reads the configuration, opens the resources and starts listening. app.ts handles requests. */
import { createTxtRecordFinder } from './platform/dns/txt-records.ts';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { createApp } from './app.ts';
import { answerUsage, siteUsages } from './command-usage.mjs';
import { scanWithClamd } from './features/attachments/scanning/clamd.ts';
import { createScanning } from './features/attachments/scanning/scanning.ts';
import { inviteFirstAdministrator } from './features/invitations/create/first-administrator.ts';
import { createShortCodes } from './features/invitations/link/short-code.ts';
import { createSigningKeys } from './features/invitations/link/signing-keys.ts';
import { createSettingsStore } from './features/settings/settings-store.ts';
import { findSecurityWarnings } from './features/settings/security-warnings.ts';
import { checkPasskeyHost } from './features/auth/passkeys/passkey-store.ts';
import { createPersonalTokens } from './features/tokens/personal-token.ts';
import { createAuditSeals } from './platform/audit/audit-seals.ts';
import { prepareDataDirectory } from './platform/config/data-directory.ts';
import { findMisspelledVariables } from './platform/config/misspelled-variables.ts';
import { readConfig, type Config, type ProviderConfig } from './platform/config/read-config.ts';
import { readServerSecrets, decryptSiteKey } from './platform/config/site-key.ts';
import { StartUpError } from './platform/config/start-up-error.ts';
import { newId } from './platform/database/new-id.ts';
import { extensionApiVersion } from './platform/extensions/extension.ts';
import { loadExtensions } from './platform/extensions/load-extensions.ts';
import { connectProvider } from './platform/identity/provider.ts';
import { createOutboundHttp } from './platform/http/outbound-http.ts';
import { createMailServerFinder } from './platform/mail/mail-servers.ts';
import { createStorage } from './platform/storage/create-storage.ts';
import { traceLogFields } from './platform/telemetry/current-span.ts';
import { createTracing } from './platform/telemetry/traces/create-tracing.ts';
import { startTimers } from './platform/timers.ts';
import { valuesOf } from './platform/values-of.ts';
import { createShutdown } from './startup/shutdown.ts';
import { startEmbeddedProvider } from './startup/embedded-provider.ts';
import { requireNodeVersion, waitUntilListening } from './startup/startup-errors.ts';
import { createMigratedDatabase } from './startup/create-database.ts';
import { createMail } from './startup/create-mail.ts';
import { openLog } from './startup/open-log.ts';
import { createOutageLog } from './startup/outage-log.ts';
import { readProject } from './startup/project.ts';
import { findStorageProblem } from './startup/storage-warning.ts';
import { findUnknownHosts } from './startup/unknown-hosts.ts';

const now = Date.now;

const { onClose, close, isClosing } = createShutdown();
const skipDelay = new AbortController();
/**
 * Time limit of a stop. Service managers kill the process after 30 seconds (deploy/), which is well above this limit
 * plus the shutdown delay of a public site.
 */
let stopLimitMs = 20_000;

async function start(config: Config): Promise<void> {
  const { extensionsDirectory, webDirectory } = readProject(process.argv.slice(2));
  const isEmbedded = config.databaseUrl === null;
  prepareDataDirectory(config.dataDirectory, { hasDatabase: isEmbedded });
  const secrets = readServerSecrets(config);
  // With the embedded database, the log goes to a file, because the user at the terminal needs the addresses. With a
  // configured database, logs are collected from the output.
  const logFile = isEmbedded ? path.join(config.dataDirectory, 'server.log') : null;
  const outageLog = createOutageLog(now, isClosing);
  const logger = pino(
    {
      level: config.logLevel,
      base: null,
      hooks: outageLog.hooks,
      redact: ['req.headers.authorization', 'req.headers.cookie'],
      ...(config.traces && { mixin: traceLogFields }),
    },
    await openLog(logFile),
  );
  const traces = config.traces && createTracing(config.traces, logger, now);
  onClose(() => traces?.close());

  const extensions = await loadExtensions(extensionsDirectory);
  if (extensions.length > 0)
    logger.info({ extensions: valuesOf(extensions, 'name'), apiVersion: extensionApiVersion }, 'extensions');
  const database = await createMigratedDatabase(config, logger, extensions, onClose, outageLog.watch);
  const { key: secret, deletedKeys } = await decryptSiteKey(database, secrets);
  if (deletedKeys > 0) logger.info('SECRET was replaced; the previous value no longer decrypts this site');
  if (config.passkeys) await checkPasskeyHost(database, config.passkeys);
  const auditSeals = createAuditSeals(database, secret, (message) => logger.error(message));
  // Rows of transactions that are still running are sealed after the server's next start.
  onClose(() =>
    auditSeals
      .seal({ timeoutMs: 500 })
      .catch((error: unknown) => logger.error({ err: error }, 'sealing the activity log failed')),
  );
  const settings = createSettingsStore({ database, config, now });
  for (const { code, message } of await findSecurityWarnings({ database, config, settings }))
    logger.warn({ weakness: code }, message);
  for (const message of findMisspelledVariables(valuesOf(config.oidc, 'id'))) logger.warn(message);
  void findUnknownHosts(config).then((messages) => messages.forEach((message) => logger.warn(message)));
  const shortCodes = createShortCodes(secret);
  const signingKeys = createSigningKeys(database, secret, now);
  await signingKeys.rotate();
  const { mail, sendNow, sendMail, mailboxUrl } = await createMail(
    { config, database, settings, logger, tracer: traces?.tracer },
    onClose,
  );
  const storage = await createStorage(config);
  void findStorageProblem(storage).then((message) => message !== null && logger.warn(message));
  const { clamdUrl } = config.attachments;
  const scanning =
    clamdUrl === null
      ? null
      : createScanning({ database, storage, scan: (bytes) => scanWithClamd(clamdUrl, bytes), logger });
  onClose(() => scanning?.waitUntilIdle());
  if (config.embeddedProvider) {
    const embedded = await startEmbeddedProvider(config, config.embeddedProvider, { sendMail, settings });
    onClose(() => embedded.close());
  }

  const { app, areas } = await createApp({
    config,
    logger,
    database,
    provider: config.provider && connectProvider(metadataAddress(config.provider), now),
    mail,
    findMailServers: createMailServerFinder(),
    findTxtRecords: createTxtRecordFinder(config.dnsServers),
    settings,
    outboundHttp: createOutboundHttp({ allowsPrivate: config.webhooksToPrivateAddresses }),
    sendNow,
    shortCodes,
    signingKeys,
    personalTokens: createPersonalTokens({ database, secret, now }),
    auditSeals,
    storage,
    scanning,
    secret,
    webDirectory,
    extensions,
    traceRequests: traces?.traceRequests,
    now,
    newId,
  });
  await mail.work(sendMail, Object.fromEntries(areas.flatMap(({ mails = {} }) => Object.entries(mails))));
  const timers = startTimers(
    areas.flatMap((area) => area.timers ?? []),
    logger,
  );
  onClose(() => timers.stop());
  // Fastify aborts slow responses before this limit.
  onClose(() => app.close(), 10_000);
  onClose(() => app.stopListening());
  onClose(() => {
    // Load balancers poll /readyz. Until they have noticed, requests are handled normally.
    app.reportNotReady();
    return delay(config.shutdownDelayMs, undefined, { signal: skipDelay.signal }).catch(() => {});
  }, config.shutdownDelayMs + 1_000);
  stopLimitMs += config.shutdownDelayMs;
  await waitUntilListening(app.listen({ port: config.port, host: config.host }), { PORT: config.port });

  const firstAdministratorLink = await inviteFirstAdministrator({
    ...config,
    database,
    shortCodes,
    lifetimeDays: config.invitationLifetimeDays,
    now,
    newId,
  });
  console.log(`\n${config.productName} is ready: ${config.publicUrl}`);
  if (mailboxUrl !== null) console.log(`Mailbox: ${mailboxUrl}`);
  if (firstAdministratorLink !== null) console.log(`First administrator: ${firstAdministratorLink}`);
  if (logFile !== null) console.log(`Log: ${path.relative(process.cwd(), logFile)}   Stop with Ctrl+C.`);
}

const metadataAddress = ({ url, tenantName, signInPolicy }: ProviderConfig): string =>
  `${url}/${tenantName}.onmicrosoft.com/${signInPolicy}/v2.0/.well-known/openid-configuration`;

async function stop(exitCode: number): Promise<void> {
  const closedInTime = await close(stopLimitMs);
  if (!closedInTime) console.error('Stopping took too long: closing open connections.');
  process.exit(closedInTime ? exitCode : 1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // A second Ctrl+C skips the shutdown delay. A second SIGTERM does not, because a service manager may send it twice.
    if (isClosing() && signal === 'SIGINT') skipDelay.abort();
    void stop(0);
  });

try {
  requireNodeVersion();
  const exitCode = answerUsage('start', siteUsages.start, process.argv.slice(2));
  if (exitCode !== undefined) process.exit(exitCode);
  await start(readConfig());
} catch (error) {
  // Errors during a stop are caused by closing resources.
  if (!isClosing()) {
    console.error(error instanceof StartUpError ? error.message : error);
    await stop(1);
  }
}
