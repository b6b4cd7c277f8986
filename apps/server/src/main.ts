/** Configuration → resources → listen. What a request meets stands in app.ts. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { createApp, embeddedProviderUrl } from './app.ts';
import { askClamd } from './features/attachments/scanning/clamd.ts';
import { cleanUp } from './features/attachments/files/clean-up.ts';
import { deleteLeftFiles } from './features/attachments/files/former-owner.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import { foldCounts } from './features/dashboard/counts.ts';
import { createScanning } from './features/attachments/scanning/scanning.ts';
import { takeAwayOld } from './features/keeping/take-away-old.ts';
import { inviteFirstAdministrator } from './features/invitations/inviting/first-administrator.ts';
import { invitationMails } from './features/invitations/invitation-mail.ts';
import { inviteTokenIssuer } from './features/invitations/link/invite-metadata.ts';
import { remindBeforeExpiry } from './features/invitations/life/reminders.ts';
import { createShortCodes } from './features/invitations/link/short-code.ts';
import { createSigningKeys } from './features/invitations/link/signing-keys.ts';
import { createMailQueue, installMailQueue, type Mail, type SendMail } from './platform/mail/mail-queue.ts';
import { noMail } from './platform/mail/no-mail.ts';
import { connectSmtp, mailConnectionTo } from './platform/mail/smtp.ts';
import { personMails } from './features/people/person-mail.ts';
import type { SendNow } from './features/settings/mails.ts';
import { createSettingsStore, siteAccent, type SettingsStore } from './features/settings/settings-store.ts';
import { findWeaknesses } from './features/settings/weaknesses.ts';
import { createPersonalTokens } from './features/tokens/personal-token.ts';
import { createAuditSeals, keepSealing } from './platform/audit/audit-seals.ts';
import { prepareDataDirectory } from './platform/config/data-directory.ts';
import { readConfig, type Config } from './platform/config/read-config.ts';
import { checkServerSecret, readServerSecret } from './platform/config/server-secret.ts';
import { StartUpError } from './platform/config/start-up-error.ts';
import { grantApplicationRights } from './platform/database/application-role.ts';
import { openDatabase } from './platform/database/database.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';
import { migrate } from './platform/database/migrate.ts';
import { newId } from './platform/database/new-id.ts';
import { forgetEndedLimits } from './platform/database/rate-limit.ts';
import { connectProvider } from './platform/identity/provider.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const now = Date.now;

/** What was opened, in order; closed in the opposite one. */
const opened: (() => unknown)[] = [];
let closing: Promise<void> | undefined;

function close(): Promise<void> {
  closing ??= (async () => {
    for (const step of opened.toReversed()) await step();
  })();
  return closing;
}

async function start(config: Config): Promise<void> {
  // As root, the embedded database runs as another user.
  const mayBeEntered = config.databaseUrl === null && process.getuid?.() === 0;
  prepareDataDirectory(config.dataDirectory, { mayBeEntered });
  const secret = readServerSecret(config.secret, config.dataDirectory);
  const embeddedDatabase =
    config.databaseUrl === null
      ? await startEmbeddedPostgres({ dataDirectory: path.join(config.dataDirectory, 'postgres') })
      : null;
  if (embeddedDatabase) opened.push(() => embeddedDatabase.stop());
  if (embeddedDatabase?.notice) console.log(embeddedDatabase.notice);

  // A person at a terminal reads the addresses; whoever names a database of his own collects logs.
  const logFile = embeddedDatabase ? path.join(config.dataDirectory, 'server.log') : null;
  const logger = pino(
    { level: config.logLevel, base: null, redact: ['req.headers.authorization'] },
    logFile === null ? pino.destination(1) : pino.destination({ dest: logFile, sync: false }),
  );

  const databaseUrl = config.databaseUrl ?? (embeddedDatabase as { applicationUrl: string }).applicationUrl;
  const ownerUrl = config.databaseOwnerUrl ?? embeddedDatabase?.url ?? databaseUrl;
  await migrate(ownerUrl, path.join(here, '..', 'migrations'));
  if (ownerUrl !== databaseUrl) {
    await installMailQueue(ownerUrl);
    await grantApplicationRights(ownerUrl, databaseUrl);
  }
  const database = openDatabase(databaseUrl, {
    onConnectionError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  });
  opened.push(() => database.end());
  await checkServerSecret(database, secret);

  const auditSeals = createAuditSeals(database, secret, now, (message) => logger.error(message));
  const sealing = keepSealing(auditSeals, (error) => logger.error({ err: error }, 'sealing the log failed'));
  opened.push(() => sealing.stop());

  const settings = createSettingsStore({ database, config, now });
  for (const { code, message } of await findWeaknesses({ database, config, settings }))
    logger.warn({ weakness: code }, message);
  const shortCodes = createShortCodes(secret);
  const signingKeys = createSigningKeys(database, secret, now);
  await signingKeys.rotate();
  const rotation = setInterval(
    () =>
      void signingKeys
        .rotate()
        .catch((error: unknown) => logger.error({ err: error }, 'key rotation failed')),
    6 * 60 * 60_000,
  );
  opened.push(() => clearInterval(rotation));

  const mailbox = config.mailbox ? await startMailbox(config.mailbox) : null;
  const smtpUrl = config.smtpUrl ?? mailbox?.smtpUrl ?? null;
  const smtp =
    smtpUrl === null
      ? null
      : connectSmtp({
          url: smtpUrl,
          connection: mailConnectionTo(smtpUrl, config.smtpAllowsPlainText),
          async from() {
            const { senderName, senderAddress } = await settings.current();
            return { name: senderName, address: senderAddress };
          },
        });
  const sendNow: SendNow | null = smtp && ((written, messageId) => smtp.send(written, messageId));
  opened.push(() => smtp?.close());
  const mail = sendNow
    ? createMailQueue(database, new URL(config.publicUrl).hostname, (error) =>
        logger.warn({ err: error }, 'the mail queue had trouble'),
      )
    : noMail;
  await mail.start();
  opened.push(() => mail.stop());
  const publicUrl = config.publicUrl;
  await mail.work(sendNow ?? printMail, {
    ...invitationMails({ database, shortCodes, publicUrl, settings, now }),
    ...personMails({ database, settings, publicUrl }),
  });

  const reminding = setInterval(
    () =>
      void remindBeforeExpiry({ database, mail, rules: () => settings.current(), now }).catch(
        (error: unknown) => logger.error({ err: error }, 'reminding failed'),
      ),
    10 * 60_000,
  );
  opened.push(() => clearInterval(reminding));

  const folding = setInterval(
    () =>
      void foldCounts(database).catch((error: unknown) =>
        logger.error({ err: error }, 'adding up counts failed'),
      ),
    10 * 60_000,
  );
  opened.push(() => clearInterval(folding));

  const forgetting = setInterval(
    () =>
      void forgetEndedLimits({ database, now }).catch((error: unknown) =>
        logger.error({ err: error }, 'limits that ended could not be removed'),
      ),
    60_000,
  );
  opened.push(() => clearInterval(forgetting));

  let isOver = false;
  const keeping = setInterval(
    () =>
      void takeAwayOld({
        database,
        secret,
        directory: config.archiveDirectory,
        keeping: () => settings.current(),
        isOver: () => isOver,
        now,
      }).catch((error: unknown) => logger.error({ err: error }, 'archiving what is old failed')),
    10 * 60_000,
  );
  opened.push(() => {
    isOver = true;
    clearInterval(keeping);
  });

  const storage = await openStorage(config);
  const { clamdUrl } = config.attachments;
  const scanning =
    clamdUrl === null
      ? null
      : createScanning({
          database,
          storage,
          scan: (bytes) => askClamd(clamdUrl, bytes),
          onError: (error) => logger.error({ err: error }, 'a file could not be checked for viruses'),
        });
  const tidying = setInterval(() => {
    void deleteLeftFiles({ database, now, newId }).catch((error: unknown) =>
      logger.error({ err: error }, 'files of removed people could not be deleted'),
    );
    void cleanUp({ database, storage, scans: scanning !== null, now }).catch((error: unknown) =>
      logger.error({ err: error }, 'deleted files could not be taken away'),
    );
    void scanning
      ?.checkAll()
      .catch((error: unknown) => logger.error({ err: error }, 'files wait for the virus scanner'));
  }, 60_000);
  opened.push(() => clearInterval(tidying));
  opened.push(() => scanning?.settled());

  if (config.embeddedProvider)
    await startProvider(config, config.embeddedProvider, sendNow ?? printMail, settings);
  const { provider } = config;
  const authority = `${provider.tenantName}.onmicrosoft.com/${provider.signInPolicy}`;
  const metadataBase = config.embeddedProvider
    ? embeddedProviderUrl(config.embeddedProvider.port)
    : provider.authBaseUrl;
  const app = await createApp({
    config,
    logger,
    database,
    provider: connectProvider(`${metadataBase}/${authority}/v2.0/.well-known/openid-configuration`, now),
    mail,
    settings,
    sendNow,
    shortCodes,
    signingKeys,
    personalTokens: createPersonalTokens({ database, secret, now }),
    auditSeals,
    storage,
    scanning,
    secret,
    webDirectory: path.join(here, '..', '..', 'web', 'dist'),
    now,
    newId,
  });
  opened.push(() => app.close());
  await listening(app.listen({ port: config.port, host: config.host }), 'PORT', config.port);

  const firstLink = await inviteFirstAdministrator({
    ...config,
    database,
    shortCodes,
    lifetimeDays: config.invitationLifetimeDays,
    now,
    newId,
  });
  console.log(`\n${config.productName} is ready: ${config.publicUrl}`);
  if (mailbox) console.log(`Mailbox: ${mailbox.url}`);
  if (firstLink !== null) console.log(`First administrator: ${firstLink}`);
  if (logFile !== null) console.log(`Log: ${path.relative(process.cwd(), logFile)}   Stop with Ctrl+C.`);
}

/** The embedded provider's codes have to reach somebody, also where no mail is sent. */
function printMail({ to, subject, text }: Mail): Promise<void> {
  console.log(`\nMail to ${to.address}: ${subject}\n${text}`);
  return Promise.resolve();
}

async function startMailbox(ports: { smtpPort: number; httpPort: number }) {
  const { startDevMailbox } = await import('@vestibule/dev-mailbox');
  const mailbox = await listening(startDevMailbox(ports), 'MAILBOX_SMTP_PORT or MAILBOX_PORT', null);
  opened.push(() => mailbox.close());
  return mailbox;
}

/** The embedded provider knows one client, which is this application, and trusts its invite tokens. */
async function startProvider(
  config: Config,
  embedded: NonNullable<Config['embeddedProvider']>,
  sendMail: SendMail,
  settings: SettingsStore,
): Promise<void> {
  const { startB2cEmulator } = await import('@vestibule/b2c-emulator');
  const { provider, publicUrl } = config;
  const emulator = await listening(
    startB2cEmulator(
      {
        tenant: provider.tenantName,
        tenantId: embedded.tenantId,
        policies: {
          [provider.signInPolicy]: 'sign-in',
          [provider.signUpPolicy]: 'sign-up',
          [provider.resetPasswordPolicy]: 'reset-password',
        },
        clients: [
          {
            clientId: provider.clientId,
            redirectUris: [`${publicUrl}/`],
            postLogoutRedirectUris: [`${publicUrl}/`, `${publicUrl}/error`, `${publicUrl}/signup`],
            scopes: provider.apiScopes,
          },
        ],
        hintIssuer: {
          metadataUrl: `${publicUrl}/.well-known/openid-configuration`,
          issuer: inviteTokenIssuer(publicUrl),
          audience: provider.clientId,
        },
        lifetimes: embedded.lifetimes,
        port: embedded.port,
        publicUrl: embeddedProviderUrl(embedded.port),
        databaseFile: path.join(config.dataDirectory, 'identity-provider.sqlite'),
      },
      {
        accent: (kind, surfaces) => siteAccent(settings, { kind, surfaces }),
        async sendMail({ to, subject, text }) {
          const messageId = `<${newId()}@${new URL(publicUrl).hostname}>`;
          await sendMail({ to: { name: '', address: to }, subject, text, html: '' }, messageId);
        },
      },
    ),
    'IDP_PORT',
    embedded.port,
  );
  opened.push(() => emulator.close());
}

/** Turns "address in use" into a sentence that names the variable to change. */
async function listening<Result>(
  starting: Promise<Result>,
  variable: string,
  port: number | null,
): Promise<Result> {
  try {
    return await starting;
  } catch (error) {
    const { code, port: taken } = error as NodeJS.ErrnoException & { port?: number };
    const number = taken ?? port ?? '';
    if (code === 'EADDRINUSE')
      throw new StartUpError(
        `Port ${number} is taken by another program. Stop that program, or set ${variable} to a free port.`,
      );
    if (code === 'EACCES')
      throw new StartUpError(
        `Port ${number} may not be opened by this user. Set ${variable} to a port above 1023.`,
      );
    throw error;
  }
}

async function stop(exitCode: number): Promise<void> {
  // Whatever hangs must not keep the process: the database has its own guard.
  setTimeout(() => process.exit(exitCode), 9_000).unref();
  await close().catch((error: unknown) => console.error(error));
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));

try {
  await start(readConfig());
} catch (error) {
  // During a stop things fail because they are being closed.
  if (closing === undefined) {
    console.error(error instanceof StartUpError ? error.message : error);
    await stop(1);
  }
}
