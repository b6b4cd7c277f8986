import { afterAll, expect, test } from 'vitest';
import { expiryMails, queueExpiryMails } from './expiry-mails.ts';
import { createOrganizationSite } from './test-organizations.ts';

const { t, a, b } = await createOrganizationSite();
afterAll(() => t.close());
const day = 24 * 3_600_000;

const expireIn = ({ id }: { id: string }, days: number) =>
  t.select('update organizations set expires_at = $2 where id = $1', [
    id,
    new Date(t.clock.now() + days * day),
  ]);

/** Runs the hourly check and returns the subject ids of the mails that it queued. */
async function check(): Promise<string[]> {
  await t.select("delete from jobs.job where data->>'template' = 'organization-expiry'");
  await queueExpiryMails({ database: t.database, mail: t.mail, now: t.clock.now });
  const rows = await t.select<{ subject: string }>(
    "select data->>'subjectId' as subject from jobs.job where data->>'template' = 'organization-expiry'",
  );
  return rows.map(({ subject }) => subject);
}

test('the managers get one mail for each expiry date, from 14 days before', async () => {
  await expireIn(a, 15);
  await expireIn(b, 400);
  expect(await check()).toEqual([]);
  t.clock.advance(1.5 * day);
  const subjects = [`${a.id} ${a.manager.id}`];
  expect(await check()).toEqual(subjects);
  expect(await check()).toEqual([]);
  const mails = expiryMails({ database: t.database, settings: t.settings, publicUrl: t.config.publicUrl });
  const write = () => mails['organization-expiry']?.write(subjects[0] as string);
  const mail = await write();
  expect(mail).toMatchObject({ to: { address: a.manager.email } });
  expect(mail?.text).toContain(`${t.config.publicUrl}/layout/organization/acme/about`);
  await expireIn(a, 30);
  expect(await write()).toBeNull();
  expect(await check()).toEqual([]);
  await expireIn(a, 2);
  expect(await check()).toEqual(subjects);
});

test('suspended and expired organizations cause no mail', async () => {
  await expireIn(b, 3);
  await t.select("update organizations set status = 'suspended' where id = $1", [b.id]);
  expect(await check()).toEqual([]);
  await t.select("update organizations set status = 'active' where id = $1", [b.id]);
  t.clock.advance(4 * day);
  expect(await check()).toEqual([]);
});
