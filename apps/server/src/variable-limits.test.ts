/** Checks that every limited variable works at both of its bounds, by using it (security 66). */
import { invite } from '@vestibule/contract/invitations';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { inviteFirstAdministrator } from './features/invitations/create/first-administrator.ts';
import { createListeningApp } from './features/attachments/uploads/test-uploads.ts';
import { newId } from './platform/database/new-id.ts';
import { readConfig } from './platform/config/read-config.ts';
import { variableBounds } from './platform/config/variables.ts';
import { createTestApp } from './test/test-app.ts';

const day = 24 * 3600_000;

const listen = async (port: number) => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect((server.address() as AddressInfo).port).toBeGreaterThanOrEqual(port);
  server.close();
};
const attachmentVariables = [
  'ATTACHMENT_FILE_LIMIT_MB',
  'ATTACHMENT_QUOTA_MB',
  'ATTACHMENT_SITE_QUOTA_MB',
] as const;
const attachmentsWith = (name: string) => async (megabytes: number) => {
  const largest = Object.fromEntries(attachmentVariables.map((other) => [other, '100000000']));
  const app = await createListeningApp({ environment: { ...largest, [name]: String(megabytes) } });
  try {
    const ann = await app.join('ann@example.com');
    const size = megabytes * 1024 * 1024;
    expect((await app.createUpload(ann, { name: 'a.bin', size: size + 1 })).status).toBe(413);
    expect((await app.createUpload(ann, { name: 'a.bin', size })).status).toBe(201);
    if (name !== 'ATTACHMENT_FILE_LIMIT_MB')
      expect((await app.createUpload(ann, { name: 'b.bin', size: 1 })).status).toBe(413);
  } finally {
    await app.close();
  }
};

/** The excluded variables are tested in token.test.ts of the embedded provider and in e2e/process/process.spec.ts. */
type Variable = Exclude<keyof typeof variableBounds, `IDP_${string}_SECONDS` | 'SHUTDOWN_DELAY_SECONDS'>;
const variableTests: Record<Variable, (value: number) => Promise<void>> = {
  PORT: (value) => listen(readConfig({ PORT: String(value) }).port),
  IDP_PORT: (value) => listen(readConfig({ IDP_PORT: String(value) }).embeddedProvider?.port as number),
  MAILBOX_PORT: (value) => listen(readConfig({ MAILBOX_PORT: String(value) }).mailbox?.httpPort as number),
  MAILBOX_SMTP_PORT: (value) =>
    listen(readConfig({ MAILBOX_SMTP_PORT: String(value) }).mailbox?.smtpPort as number),
  ATTACHMENT_FILE_LIMIT_MB: attachmentsWith('ATTACHMENT_FILE_LIMIT_MB'),
  ATTACHMENT_QUOTA_MB: attachmentsWith('ATTACHMENT_QUOTA_MB'),
  ATTACHMENT_SITE_QUOTA_MB: attachmentsWith('ATTACHMENT_SITE_QUOTA_MB'),
  INVITATION_LIFETIME_DAYS: async (days) => {
    const other = await createTestApp({ environment: { INVITATION_LIFETIME_DAYS: String(days) } });
    try {
      const link = await inviteFirstAdministrator({
        ...other.config,
        database: other.database,
        shortCodes: other.shortCodes,
        lifetimeDays: other.config.invitationLifetimeDays,
        now: other.clock.now,
        newId,
      });
      expect(link).toContain('/signup?i=');
      const { token } = await other.join('person@example.com', 'admin');
      const { status, body } = await other.call(invite, { token, body: { email: 'guest@example.com' } });
      expect([status, (Date.parse(body.expiresAt) - other.clock.now()) / day]).toEqual([200, days]);
    } finally {
      await other.close();
    }
  },
};

test.each(Object.entries(variableTests))('the variable %s works at its bounds', async (name, use) => {
  for (const bound of variableBounds[name as Variable]) await expect(use(bound)).resolves.toBeUndefined();
});
