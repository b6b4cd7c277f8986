/** Every kind of token and code, with its source file, for every-token.test.ts. */
import { linkToAttachments } from '@vestibule/contract/attachments';
import { changeDirectory, createDirectoryToken } from '@vestibule/contract/directory';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { getMe } from '@vestibule/contract/profile/me';
import { createToken, Scope } from '@vestibule/contract/profile/tokens';
import {
  anna,
  refresh,
  signInWithTokens,
} from '../../../../../packages/b2c-emulator/src/test/test-tenant.ts';
import { uploadFile } from '../../features/attachments/uploads/test-uploads.ts';
import { newId } from '../../platform/database/new-id.ts';
import { createTestSession } from '../sign-in/test-session.ts';
import { applicationKinds, registerApplication } from './test-application-kinds.ts';
import { createTestSite, metricsToken } from './test-site.ts';
import { pendingKinds, type PendingSite } from './test-pending-kinds.ts';

export type SecretSite = PendingSite & { annasToken: string };

export async function createSecretSite(): Promise<SecretSite> {
  const site = {
    ...(await createTestSite()),
    annasToken: '',
    people: 0,
  } as Partial<PendingSite> as SecretSite;
  const { t } = site;
  await t.invitationTo(anna.email);
  site.annasToken = await kinds['access token'](site);
  await t.call(getMe, { token: site.annasToken });
  await t.select(`update people set role = 'admin'`);
  await registerApplication(site);
  return site;
}

const newAddress = (site: SecretSite) => `person-${(site.people += 1)}@example.com`;

async function signInAtProvider({ provider }: SecretSite) {
  const { tokens } = await signInWithTokens(provider, provider.browser());
  return (await refresh(provider, 'b2c_1a_signin', tokens.refresh_token as string)).body;
}

export const kinds = {
  'access token': async (site) => (await signInAtProvider(site)).access_token as string,
  'id token': async (site) => (await signInAtProvider(site)).id_token as string,
  'refresh token': async (site) => (await signInAtProvider(site)).refresh_token as string,
  'short code': async (site) => (await site.t.invitationTo(newAddress(site))).code,
  'invite token': async (site) => {
    const { code } = await site.t.invitationTo(newAddress(site));
    return (await site.t.call(getInviteToken, { body: { code } })).body.Data as string;
  },
  'code of an identity migration': async ({ t }) => {
    const personId = await t.scalar<string>`select id from people where email = ${anna.email}`;
    const id = newId();
    const code = t.shortCodes.codeOf(id);
    await t.select('delete from identity_migrations');
    await t.select`
      insert into identity_migrations (id, person_id, email, display_name, way, code_hash, created_by, created_at, expires_at, mail)
      values (${id}, ${personId}, ${anna.email}, 'Anna', 'acme', ${t.shortCodes.hashOf(code)}, ${personId}, ${new Date(t.clock.now())}, ${new Date(t.clock.now() + 3_600_000)}, 'sent')`;
    return code;
  },
  'ticket of a file': async ({ t, annasToken }) => {
    const id = await uploadFile(t, { token: annasToken }, 'empty.txt', '');
    const body = { attachmentIds: [id], purpose: 'download' as const };
    return (await t.call(linkToAttachments, { token: annasToken, body })).body.path
      .split('/')
      .at(-1) as string;
  },
  'personal access token': async ({ t, annasToken }) => {
    const body = { name: 'matrix', scopes: [...Scope.options], days: 1 };
    return (await t.call(createToken, { token: annasToken, body })).body.token;
  },
  'directory token': async ({ t, annasToken }) => {
    const { token } = (await t.call(createDirectoryToken, { token: annasToken })).body;
    await t.call(changeDirectory, { token: annasToken, body: { isOn: true } });
    return token;
  },
  'metrics token': () => Promise.resolve(metricsToken),
  'cookie of a session': async ({ t }) => {
    const personId = await t.scalar<string>`select id from people where email = ${anna.email}`;
    return (await createTestSession(t, { id: personId })).value;
  },
  ...applicationKinds,
  ...pendingKinds,
} satisfies Record<string, (site: SecretSite) => Promise<string>>;
export type Kind = keyof typeof kinds;

export const providerIssuedKinds: Kind[] = [
  'access token',
  'id token',
  'refresh token',
  'authorization code of an OpenID Provider',
  'id token of an OpenID Provider',
  'logout token',
];

export type Consumer = {
  route: string;
  accepts: Kind[];
  /** `belongs` is true if the secret is of an accepted kind. */
  opens(secret: string, belongs: boolean): Promise<boolean>;
};

/** Kind of secret that each file creates through a shared function, keyed by the path of the calling file. */
export const sharedCreators: Record<string, Kind> = {
  'apps/server/src/main.ts': 'short code',
  'apps/server/src/commands/invite-administrator.ts': 'short code',
  'apps/server/src/features/applications/application-sign-in.ts': 'code of an application',
  'apps/server/src/features/applications/gate.ts': 'cookie of an application',
  'apps/server/src/features/invitations/create/create-invitations.ts': 'short code',
  'apps/server/src/features/invitations/create/first-administrator.ts': 'short code',
  'apps/server/src/features/invitations/lifecycle/lifecycle.ts': 'short code',
  'apps/server/src/features/invitations/link/short-code.ts': 'short code',
  'apps/server/src/features/auth/identity-migration/migration-changes.ts': 'code of an identity migration',
  'apps/server/src/features/auth/identity-migration/migration-mail.ts': 'code of an identity migration',
  'apps/server/src/features/scim/scim-token.ts': 'directory token',
  'apps/server/src/features/tokens/personal-token.ts': 'personal access token',
};

/**
 * Every file that contains random values, secret keys or comparisons of secrets, with the kinds of secret that it creates,
 * or the reason why it creates none.
 */
export const sources: Record<string, Kind[] | string> = {
  'apps/server/src/features/applications/application-sign-in.ts':
    'the cookie that identifies a browser is useless without a code',
  'apps/server/src/features/applications/identity-headers.ts': ['assertion for an application'],
  'apps/server/src/features/attachments/contents/file-ticket.ts': ['ticket of a file'],
  'apps/server/src/features/invitations/link/invite-token.ts': ['invite token'],
  'apps/server/src/features/invitations/link/short-code.ts': ['short code', 'code of an identity migration'],
  'apps/server/src/features/invitations/link/signing-keys.ts': 'keys never leave the server',
  'apps/server/src/features/auth/connections/connection-routes.ts':
    'compared with the hash of one organization of the caller',
  'apps/server/src/features/auth/oidc/request-secrets.ts': [
    'code of a sign-in',
    'key of the link in a mail',
    'challenge of a first passkey',
  ],
  'apps/server/src/features/auth/oidc/request-store.ts': [
    'state of a sign-in',
    'cookie of a sign-in',
    'attempt of a sign-in',
    'attempt of a sign-in that needs a passkey',
    'attempt of a first passkey',
  ],
  'apps/server/src/features/auth/passkeys/challenges.ts': ['challenge of a passkey'],
  'apps/server/src/features/auth/sessions/sessions.ts': ['cookie of a session'],
  'apps/server/src/platform/identity/opaque-token.ts': [
    'personal access token',
    'directory token',
    'code of an application',
    'cookie of an application',
  ],
  'apps/server/src/platform/identity/encryption.ts': 'encrypted values never leave the server',
  'apps/server/src/platform/identity/keyed-hash.ts': 'hashes secrets of other files',
  'apps/server/src/features/webhooks/webhook-secret.ts': 'signs outgoing messages; no route accepts it',
  'apps/server/src/features/people/removed/erasure.ts': 'a pseudonym is not a secret',
  'apps/server/src/platform/audit/archive-file.ts': 'archive seals are compared, but never received',
  'apps/server/src/platform/audit/audit-seals.ts': 'seals are compared, but never received',
  'apps/server/src/platform/audit/earlier-seals.ts': 'seals are compared, but never received',
  'apps/server/src/platform/backup/backup-file.ts': 'the passphrase of backups never leaves the server',
  'apps/server/src/platform/config/site-key.ts':
    'SECRET never leaves the server, the site key only encrypted',
  'apps/server/src/platform/database/new-id.ts': 'ids are not secrets',
  'apps/server/src/platform/embedded-postgres/postgres-cluster.ts':
    "passwords of the embedded database's roles",
  'apps/server/src/platform/telemetry/metrics.ts': ['metrics token'],
  'apps/server/src/platform/telemetry/traces/tracer.ts': 'ids of traces are not secrets',
};
