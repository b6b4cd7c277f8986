/** The application with a new database, a fixed clock and an in-memory log, for tests through HTTP. */
import { getMe } from '@vestibule/contract/profile/me';
import type { RouteDefinition, RouteRequest, RouteResult } from '@vestibule/contract/route';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { createApp, type Dependencies } from '../app.ts';
import { createDiskStorage, prepareDirectory } from '../platform/storage/disk-storage.ts';
import type { Verdict } from '../features/attachments/scanning/clamd.ts';
import { signInCodeMailName } from '../features/auth/email-codes/email-codes.ts';
import { createScanning } from '../features/attachments/scanning/scanning.ts';
import type { FileStorage } from '../platform/storage/storage.ts';
import { insertInvitations, defaultInvitation } from '../features/invitations/invitation-store.ts';
import { createShortCodes } from '../features/invitations/link/short-code.ts';
import { createSigningKeys } from '../features/invitations/link/signing-keys.ts';
import type { MailTemplate } from '../platform/mail/mail-queue.ts';
import { createSettingsStore } from '../features/settings/settings-store.ts';
import { createOutboundHttp, type LookUp } from '../platform/http/outbound-http.ts';
import { createPersonalTokens } from '../features/tokens/personal-token.ts';
import { createAuditSeals } from '../platform/audit/audit-seals.ts';
import { readConfig, type Config } from '../platform/config/read-config.ts';
import { onlyRowOf, type Database } from '../platform/database/database.ts';
import { outsideTransaction } from '../platform/database/held-connection.ts';
import { newId } from '../platform/database/new-id.ts';
import { databaseReaders } from './database/test-database.ts';
import { openSharedDatabase, takeTestDatabase } from './database/test-database-reuse.ts';
import { canonicalEmail } from '../platform/identity/canonical-email.ts';
import type { Provider } from '../platform/identity/provider.ts';
import { loadExtensions } from '../platform/extensions/load-extensions.ts';
import { checkoutExtensions } from '../startup/project.ts';
import { extensionHelpers, migrateExtensions } from './extensions/test-extensions.ts';
import { collectLog } from './test-log.ts';
import { createTestMailQueue } from './mail/test-mail-queue.ts';
import { watchRoutes } from './test-routes.ts';

export const testSecret = Buffer.from('a secret of the tests, 32 characters or more');
export const testIssuer = 'https://contoso.b2clogin.com/9c5d1a52-0000-4000-8000-5e1f7a2b3c4d/v2.0/';

/** Configuration with an external provider and mail server, so that no embedded services start. */
export const testEnvironment = {
  PUBLIC_URL: 'https://portal.example.com',
  AUTH_BASE_URL: 'https://contoso.b2clogin.com',
  TENANT_NAME: 'contoso',
  CLIENT_ID: '11111111-2222-4333-8444-555555555555',
  API_SCOPES: 'https://contoso.onmicrosoft.com/api/access',
  SIGN_IN_POLICY: 'B2C_1A_SignIn',
  SIGN_UP_POLICY: 'B2C_1A_SignUp_Invitation',
  RESET_PASSWORD_POLICY: 'B2C_1A_PasswordReset',
  SMTP_URL: 'smtps://mail.example.com',
  ADMIN_EMAIL: 'admin@example.com',
};

const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
/** Signing key of the provider, and the public JWK without `alg`, as B2C publishes it. */
export const providerPrivateKey = privateKey;
export const providerJwk = { ...(await exportJWK(publicKey)), kid: 'provider-1', use: 'sig' };

const testProvider: Provider = {
  issuer: () => Promise.resolve(testIssuer),
  keys: createLocalJWKSet({ keys: [providerJwk] }),
};

export type TestPerson = { id: string; email: string; subject: string; token: string };

type TestResponse<Body> = {
  status: number;
  body: Body;
  headers: LightMyRequestResponse['headers'];
  text: string;
};

type TestRequest<R extends RouteDefinition> = RouteRequest<R> & {
  token?: string;
  headers?: Record<string, string>;
};

export type TestApp = Awaited<ReturnType<typeof createTestApp>>;

type TestClock = { now: () => number; advance: (milliseconds: number) => void };

type Options = {
  environment?: Record<string, string>;
  /** Application whose database and clock are shared, as with a second server process. */
  sharedWith?: { databaseUrl: string; ownerUrl: string; clock?: TestClock };
  /** Database to copy; by default, an empty one. It has a signing key of the default secret, and the tables of the extensions. */
  template?: string;
  provider?: Provider;
  clock?: TestClock;
  wrapDatabase?: (database: Database) => Database;
  sendNow?: Dependencies['sendNow'];
  findMailServers?: Dependencies['findMailServers'];
  findTxtRecords?: Dependencies['findTxtRecords'];
  lookup?: LookUp;
  scan?: (bytes: AsyncIterable<Uint8Array>) => Promise<Verdict>;
  wrapStorage?: (storage: FileStorage) => FileStorage;
  webDirectory?: string;
  /** Extensions to load, and whose migrations to apply; by default those of the checkout. */
  extensionsDirectory?: string;
  traceRequests?: Dependencies['traceRequests'];
  /** Receives logged errors. By default, tests of a portal print them; those of the checkout cause many on purpose. */
  reportError?: (text: string) => void;
  /** Applications with the default secret share their first signing key. */
  secret?: Buffer;
};

/** Starts the application. `close` also closes its database. */
export async function createTestApp(options: Options = {}) {
  const config: Config = readConfig({ ...testEnvironment, ...options.environment });
  const clock = options.sharedWith?.clock ?? options.clock ?? createClock();
  const opened = options.sharedWith
    ? openSharedDatabase(options.sharedWith)
    : await takeTestDatabase(options.template);
  const { databaseUrl, ownerUrl, owner, release } = opened;
  // A copy, so that what a test replaces is not replaced for the next application.
  const pool = { ...opened.pool };
  const extensions = await loadExtensions(options.extensionsDirectory ?? checkoutExtensions);
  if (options.template === undefined) await migrateExtensions(extensions, ownerUrl, databaseUrl);
  const database = options.wrapDatabase?.(pool) ?? pool;
  const secret = options.secret ?? testSecret;
  const shortCodes = createShortCodes(secret);
  const signingKeys = createSigningKeys(database, secret, clock.now);
  const auditSeals = createAuditSeals(database, secret);
  if (!options.sharedWith && !options.template && secret === testSecret)
    await insertSigningKey(pool, signingKeys, clock.now);
  else await signingKeys.rotate();
  const mail = await createTestMailQueue(database, databaseUrl);
  const settings = createSettingsStore({ database, config, now: clock.now });
  const log: string[] = [];
  const logger = pino({ level: 'trace', base: null }, collectLog(log, options.reportError));
  const filesDirectory = await mkdtemp(path.join(tmpdir(), 'vestibule-files-'));
  await prepareDirectory(filesDirectory);
  const diskStorage = createDiskStorage(filesDirectory);
  const storage = options.wrapStorage?.(diskStorage) ?? diskStorage;
  const scanning = options.scan ? createScanning({ database, storage, scan: options.scan, logger }) : null;
  const deps: Dependencies = {
    config,
    logger,
    database,
    provider: options.provider ?? testProvider,
    mail,
    findMailServers: options.findMailServers ?? (() => Promise.resolve(new Map())),
    findTxtRecords: options.findTxtRecords ?? (() => Promise.resolve([])),
    settings,
    outboundHttp: createOutboundHttp({
      allowsPrivate: config.webhooksToPrivateAddresses,
      ...(options.lookup && { lookup: options.lookup }),
    }),
    sendNow: options.sendNow ?? null,
    shortCodes,
    signingKeys,
    personalTokens: createPersonalTokens({ database, secret, now: clock.now }),
    auditSeals,
    storage,
    scanning,
    secret,
    webDirectory: options.webDirectory ?? '/nowhere',
    extensions,
    traceRequests: options.traceRequests,
    now: clock.now,
    newId,
  };
  const [{ app, areas }, routes] = await watchRoutes(async () => {
    const created = await createApp(deps);
    await created.app.ready();
    return created;
  });
  /** A test's own transaction is not a nested connection of the application. */
  const testDatabaseAccess = new Proxy(database, {
    get: (target, name) =>
      name === 'transaction' ? transactionOfTest : (Reflect.get(target, name) as unknown),
  });
  const transactionOfTest: Database['transaction'] = (work, limit) =>
    database.transaction((transaction) => outsideTransaction(() => work(transaction)), limit);

  const call = <R extends RouteDefinition>(route: R, request: TestRequest<R>) =>
    callRoute(app, route, request);

  /** Calls a route with the access token of a person. */
  const callAs = <R extends RouteDefinition>(
    { token }: Pick<TestPerson, 'token'>,
    route: R,
    ...[request]: object extends TestRequest<R> ? [request?: TestRequest<R>] : [request: TestRequest<R>]
  ) => call(route, { ...request, token } as TestRequest<R>);

  const mailTemplates = Object.fromEntries(areas.flatMap(({ mails = {} }) => Object.entries(mails)));

  return {
    ...peopleOf(app, deps),
    app,
    auditSeals,
    call,
    callAs,
    clock,
    config,
    database: testDatabaseAccess,
    databaseUrl,
    ownerUrl,
    filesDirectory,
    storage,
    scanning,
    secret,
    log,
    mail,
    mailTemplates,
    settings,
    routes,
    ...extensionHelpers(areas, owner, mailTemplates),
    shortCodes,
    signingKeys,
    ...databaseReaders(owner),
    ...signInMails(mailTemplates),
    async close() {
      await app.close();
      await mail.stop();
      await release();
      await rm(filesDirectory, { recursive: true, force: true });
    },
  };
}

function signInMails(mailTemplates: Record<string, MailTemplate>) {
  const signInMailOf = (attempt: string) => mailTemplates[signInCodeMailName]?.write(attempt);
  return {
    signInMailOf,
    /** Returns the code in the mail of a sign-in; undefined if no mail is sent. */
    signInCodeOf: async (attempt: string) =>
      /\b\d{6}\b/.exec((await signInMailOf(attempt))?.subject ?? '')?.[0],
  };
}

type SigningKeyRow = { kid: string; sealed_private_key: Buffer; public_key: object };
let signingKey: SigningKeyRow | undefined;

/** Creates the first key. The applications of a worker share it, because generating one takes 50 ms. */
async function insertSigningKey(
  database: Database,
  signingKeys: Dependencies['signingKeys'],
  now: () => number,
): Promise<void> {
  if (signingKey) {
    await database.query({
      text: 'insert into signing_keys (kid, sealed_private_key, public_key, signs_from) values ($1, $2, $3, $4)',
      values: [signingKey.kid, signingKey.sealed_private_key, signingKey.public_key, new Date(now())],
    });
    return;
  }
  await signingKeys.rotate();
  signingKey = await onlyRowOf<SigningKeyRow>(
    database,
    'select kid, sealed_private_key, public_key from signing_keys',
  );
}

function peopleOf(app: FastifyInstance, deps: Dependencies) {
  /** Returns an access token; claims set to undefined are removed. */
  function mint(
    claims: JWTPayload & { sub: string },
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    return mintToken(accessTokenClaims(deps.now(), claims), header);
  }

  const invitationTo = (email: string, more?: Parameters<typeof insertInvitation>[2]) =>
    insertInvitation(deps, email, more);

  /** Signs in, by default with an address that the provider has verified. */
  async function signIn(email: string, claims: object = { email_verified: true }) {
    const token = await mint({ sub: `subject of ${email}`, emails: [email], ...claims });
    const { status, body } = await callRoute(app, getMe, { token });
    return { token, status, body, code: body.code };
  }

  async function join(email: string, role: 'member' | 'admin' = 'member'): Promise<TestPerson> {
    const { id: invitationId } = await invitationTo(email, { role });
    const { token, status, body } = await signIn(email, { invitationId });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return { id: body.Id, email, subject: `subject of ${email}`, token };
  }

  const recentTokenOf = ({ subject, email }: Pick<TestPerson, 'subject' | 'email'>) =>
    mint({ sub: subject, emails: [email], auth_time: Math.floor(deps.now() / 1000) });

  return { mint, invitationTo, signIn, join, recentTokenOf };
}

async function callRoute<R extends RouteDefinition>(
  app: FastifyInstance,
  route: R,
  request: TestRequest<R>,
): Promise<TestResponse<RouteResult<R> & ErrorResponse>> {
  const { params, query, body, token, headers } = request as {
    params?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: object;
    token?: string;
    headers?: Record<string, string>;
  };
  const url = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const response = await app.inject({
    method: route.method,
    url: query ? `${url}?${new URLSearchParams(query as Record<string, string>).toString()}` : url,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(body && { payload: body }),
  });
  return {
    status: response.statusCode,
    body: parseOrNull(response.payload) as RouteResult<R> & ErrorResponse,
    headers: response.headers,
    text: response.payload,
  };
}

async function insertInvitation(
  { database, shortCodes, now }: Pick<Dependencies, 'database' | 'shortCodes' | 'now'>,
  email: string,
  more: { role?: 'member' | 'admin'; expiresInMs?: number } = {},
) {
  const id = newId();
  const code = shortCodes.codeOf(id);
  const invitation = {
    ...defaultInvitation,
    id,
    codeHash: shortCodes.hashOf(code),
    email,
    emailCanonical: canonicalEmail(email) as string,
    role: more.role ?? ('member' as const),
    createdAt: new Date(now()),
    expiresAt: new Date(now() + (more.expiresInMs ?? 7 * 24 * 3600_000)),
  };
  const rows = await database.transaction((transaction) =>
    insertInvitations(transaction, [invitation], new Date(now())),
  );
  if (rows.length === 0) throw new Error(`${email} is taken`);
  return { id, code, email };
}

/** Returns the claims of a B2C access token; `now` is in milliseconds. */
export function accessTokenClaims(now: number, claims: JWTPayload): JWTPayload {
  const seconds = Math.floor(now / 1000);
  return {
    iss: testIssuer,
    aud: testEnvironment.CLIENT_ID,
    iat: seconds,
    nbf: seconds,
    exp: seconds + 3600,
    ver: '1.0',
    tfp: testEnvironment.SIGN_IN_POLICY,
    scp: 'access',
    azp: testEnvironment.CLIENT_ID,
    name: 'Someone',
    ...claims,
  };
}

export function mintToken(
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
  key: Parameters<SignJWT['sign']>[0] = providerPrivateKey,
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: providerJwk.kid, typ: 'JWT', ...header })
    .sign(key);
}

function createClock(): TestClock {
  let time = Date.parse('2026-11-21T08:00:00Z');
  return {
    now: () => time,
    advance: (milliseconds: number) => void (time += milliseconds),
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
