import { createToken, revokeToken } from '@vestibule/contract/profile/tokens';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';
import { tokenMails } from './token-mails.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');

async function make(days: number): Promise<string> {
  const body = { name: 'Nightly import', scopes: ['people:read' as const], days };
  return (await t.callAs(admin, createToken, { body })).body.details.id;
}

const queued = (id: string) =>
  t.select<{ days: number }>`
    select round(extract(epoch from start_after - now()) / 86400)::int as days from jobs.job
    where data->>'template' = 'token-expiry' and data->>'subjectId' = ${id}`;

test('the owner of a token gets one mail, 14 days before it expires, unless it is revoked', async () => {
  const id = await make(90);
  expect(await queued(id)).toEqual([{ days: 76 }]);
  const mails = tokenMails({ database: t.database, settings: t.settings, publicUrl: t.config.publicUrl });
  const write = () => mails['token-expiry']?.write(id);
  const mail = await write();
  expect(mail).toMatchObject({ to: { address: admin.email } });
  expect(mail?.text).toContain('Nightly import');
  expect(mail?.text).toContain(`${t.config.publicUrl}/layout/settings/tokens`);
  await t.callAs(admin, revokeToken, { params: { tokenId: id } });
  expect(await write()).toBeNull();
});

test('a token for 14 days or less causes no mail', async () => {
  expect(await queued(await make(14))).toEqual([]);
});
