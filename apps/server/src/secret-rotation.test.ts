/** Secrets from before a replacement of SECRET remain valid (O2; docs/run-it.md, "Replacing SECRET"). */
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { getInvitationLink } from '@vestibule/contract/invitations';
import { listPeople } from '@vestibule/contract/people';
import { createToken } from '@vestibule/contract/profile/tokens';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileTickets } from './features/attachments/contents/file-ticket.ts';
import { createSessions } from './features/auth/sessions/sessions.ts';
import { createRequestSecrets } from './features/auth/oidc/request-secrets.ts';
import { createWebhookSecrets } from './features/webhooks/webhook-secret.ts';
import { auditKey } from './platform/audit/audit-seals.ts';
import { recordChange } from './platform/audit/audit-log.ts';
import { archiveLines, verifyLines } from './platform/audit/archive-file.ts';
import { decryptSiteKey } from './platform/config/site-key.ts';
import { openDatabase } from './platform/database/database.ts';
import { createTestApp, type TestApp, type TestPerson } from './test/test-app.ts';
import { createTestDatabase } from './test/database/test-database.ts';
import { createTestSession } from './test/sign-in/test-session.ts';

const [first, second] = [Buffer.from('first'.repeat(8)), Buffer.from('second'.repeat(8))];
let created: Awaited<ReturnType<typeof createTestDatabase>>;
let before: TestApp;
let after: TestApp;
let admin: TestPerson;

beforeAll(async () => {
  created = await createTestDatabase();
  const database = openDatabase(created.applicationUrl, { maxConnections: 1 });
  const sharedWith = { databaseUrl: created.applicationUrl, ownerUrl: created.url };
  const old = await decryptSiteKey(database, { current: first, previous: null });
  before = await createTestApp({ sharedWith, secret: old.key });
  const replaced = await decryptSiteKey(database, { current: second, previous: first });
  after = await createTestApp({ sharedWith: { ...sharedWith, clock: before.clock }, secret: replaced.key });
  await database.end();
  admin = await before.join('boss@example.com', 'admin');
});
afterAll(async () => {
  await before.close();
  await after.close();
  await created.drop();
});

/** Both directions: during a rolling restart, processes with both values create and verify secrets. */
const directions = [
  ['the process with the previous value', () => [before, after]],
  ['the process with the new value', () => [after, before]],
] as const satisfies [string, () => [TestApp, TestApp]][];

test.each(directions)(
  'personal access tokens and sessions created by %s are accepted by the other process',
  async (_what, pair) => {
    const [creator, reader] = pair();
    const output = await creator.callAs(admin, createToken, {
      body: { name: 'a script', scopes: ['people:read'], days: 30 },
    });
    expect((await reader.callAs(output.body, listPeople)).status).toBe(200);
    const { value } = await createTestSession(creator, admin);
    expect(await sessionsOf(reader).find(value)).toMatchObject({ id: admin.id });
  },
);

test.each(directions)(
  'invitations, their copied links and their tokens created by %s are accepted by the other process',
  async (_what, pair) => {
    const [creator, reader] = pair();
    const { id, code } = await creator.invitationTo(`${Math.random()}@example.com`);
    const copied = await reader.callAs(admin, getInvitationLink, { params: { invitationId: id } });
    expect(new URL(copied.body.link).searchParams.get('i')).toBe(code);
    expect((await reader.call(getInviteToken, { body: { code } })).body.Data).toMatch(/^eyJ/);
    const [createdKey, readKey] = await Promise.all([
      creator.signingKeys.current(),
      reader.signingKeys.current(),
    ]);
    expect(createdKey.kid).toBe(readKey.kid);
  },
);

test.each(directions)(
  'provider tokens and webhook secrets encrypted by %s can be decrypted by the other process',
  (_what, pair) => {
    const [creator, reader] = pair();
    expect(
      sessionsOf(reader).tokenEncryption.decrypt(
        sessionsOf(creator).tokenEncryption.encrypt('refresh token'),
      ),
    ).toBe('refresh token');
    const { encrypted } = createWebhookSecrets(creator.secret).create();
    const message = { id: 'm', body: '{}', at: creator.clock.now() };
    const secrets = { secret: encrypted, earlier_secret: null, earlier_secret_until: null };
    expect(createWebhookSecrets(reader.secret).sign(secrets, message)).toEqual(
      createWebhookSecrets(creator.secret).sign(secrets, message),
    );
  },
);

test.each(directions)(
  'pending sign-ins and file tickets created by %s are accepted by the other process',
  (_what, pair) => {
    const [creator, reader] = pair();
    const hash = Buffer.alloc(32, 7);
    const [output, read] = [createRequestSecrets(creator.secret), createRequestSecrets(reader.secret)];
    expect(read.isCode(hash, 1, output.codeOf(hash, 1))).toBe(true);
    expect(read.secretsOf('state')).toEqual(output.secretsOf('state'));
    const until = creator.clock.now() + 60_000;
    const ticket = {
      purpose: 'download',
      expiresAtMs: until,
      personId: admin.id,
      signedInAt: 0,
      sessionId: admin.id,
      targetId: admin.id,
    } as const;
    const written = createFileTickets({ ...creator, now: creator.clock.now }).write(ticket);
    expect(createFileTickets({ ...reader, now: reader.clock.now }).read(written)).toEqual(ticket);
  },
);

test('audit seals and archived rows verify before and after the replacement of SECRET', async () => {
  for (const process of [before, after, before]) {
    await recordChange(process.database, {
      action: 'test.done',
      actor: null,
      target: { type: 'test', id: 'a', label: 'a' },
      origin: { requestId: 'r', address: '::1' },
    });
    expect(await process.auditSeals.seal()).toBeGreaterThan(0);
  }
  for (const process of [before, after])
    expect(await process.auditSeals.verify(0)).toMatchObject({ problem: null });
  const lines = archiveLines(auditKey(before.secret), { kind: 'sign_ins', number: 1, encryptedKey: null }, [
    { id: 1 },
  ]);
  expect(verifyLines(auditKey(after.secret), lines).problem).toBeNull();
});

function sessionsOf(process: TestApp) {
  return createSessions({
    database: process.database,
    secret: process.secret,
    signInMethodIds: new Set(['acme']),
    limits: () => Promise.resolve({ idleMs: 3_600_000, absoluteMs: 3_600_000 }),
    now: process.clock.now,
  });
}
