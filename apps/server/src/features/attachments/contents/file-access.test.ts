import { linkToAttachments, sharingModes, uploadsPath } from '@vestibule/contract/attachments';
import { disablePerson, enablePerson, removePerson, signOutPerson } from '@vestibule/contract/people';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { getMe } from '@vestibule/contract/profile/me';
import { endSession } from '@vestibule/contract/sign-in/sessions';
import { describe, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import type { TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { postAs, createPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { newId } from '../../../platform/database/new-id.ts';
import { formatMetadata } from '../uploads/test-uploads.ts';
import { codeOf, createContentsApp } from './test-contents.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createContentsApp());
const { admin, ann, bob } = t;

const newToken = (person: TestPerson) => t.mint({ sub: person.subject, emails: [person.email] });

describe('access by link', () => {
  test('only the owner can open an unshared file, administrators cannot (security 14)', async () => {
    const id = await t.upload(ann, 'private.txt', 'private');
    expect((await t.link(bob, [id])).body.code).toBe('attachment.not_found');
    expect((await t.link(admin, [id])).body.code).toBe('attachment.not_found');
    await t.share(ann, id, { sharing: 'everyone' });
    expect((await t.get(await t.pathTo(bob, [id]))).status).toBe(200);
  });

  test('a link is invalid after ten minutes, after the share is removed, and while the person is disabled (security 9)', async () => {
    const id = await t.upload(ann, 'shared.txt', 'shared');
    await t.share(ann, id, { sharing: 'everyone' });
    const address = await t.pathTo(bob, [id]);
    expect((await t.get(address)).status).toBe(200);
    const administrators = await t.pathTo(admin, [id]);

    await t.share(ann, id, { sharing: sharingModes.private });
    expect(codeOf(await t.get(address))).toBe('attachment.not_found');
    // Administrators still see the file but may not open it.
    expect(codeOf(await t.get(administrators))).toBe('attachment.not_found');
    await t.share(ann, id, { sharing: 'everyone' });

    await t.callAs(admin, disablePerson, { params: { personId: bob.id } });
    expect(codeOf(await t.get(address))).toBe('person.disabled');
    await t.callAs(admin, enablePerson, { params: { personId: bob.id } });
    expect((await t.get(address)).status).toBe(200);

    t.clock.advance(10 * 60_000);
    const lateResponse = await t.get(address);
    expect({ status: lateResponse.status, code: codeOf(lateResponse) }).toEqual({
      status: 403,
      code: 'attachment.link_invalid',
    });
  });

  test.each([
    [
      'signing out everywhere',
      (cem: TestPerson) => t.callAs(cem, signOutEverywhere, { body: { revokeTokens: false } }),
    ],
    [
      'being signed out by an administrator',
      async (cem: TestPerson) =>
        t.call(signOutPerson, { token: await newToken(admin), params: { personId: cem.id } }),
    ],
    [
      'being removed',
      async (cem: TestPerson) =>
        t.call(removePerson, { token: await newToken(admin), params: { personId: cem.id } }),
    ],
  ])(
    '%s invalidates recent links to one file and to several files (security 9)',
    async (_what, endAccess) => {
      const owner = { ...ann, token: await newToken(ann) };
      const ids = [await t.upload(owner, 'one.txt', 'x'), await t.upload(owner, 'two.txt', 'x')];
      for (const id of ids) await t.share(owner, id, { sharing: 'everyone' });
      const cem = await t.join(`cem-${_what.length}@example.com`);
      const addresses = [
        await t.pathTo(cem, ids.slice(0, 1)),
        await t.pathTo(cem, ids.slice(0, 1), 'preview'),
        await t.pathTo(cem, ids),
      ];
      for (const address of addresses) expect((await t.get(address)).status).toBe(200);
      t.clock.advance(1_000);
      expect((await endAccess(cem)).status).toBe(200);
      for (const address of addresses) expect(codeOf(await t.get(address))).toBe('attachment.link_invalid');
    },
  );

  test('a link created in a session is invalid after the session ends, even if the session has just started (security 9)', async () => {
    const site = await createPasskeySite();
    const endings: ((browser: TestBrowser) => Promise<unknown>)[] = [
      (browser) => postAs(browser, signOutEverywhere, { revokeTokens: false }),
      (browser) => postAs(browser, endSession),
    ];
    for (const end of endings) {
      const { id: owner, browser } = await site.join();
      const id = newId();
      await site.t.select`
        insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
        values (${id}, ${owner}, 'Ann', 'ann@example.com', 'a.txt', 'text/plain', 'text', 1, '', 'ready', now(), now())`;
      const body = { attachmentIds: [id], purpose: 'download' };
      const { path } = (await postAs(browser, linkToAttachments, body)).body;
      const code = async () => (await site.t.app.inject(path)).json<{ code: string }>().code;
      expect(await code()).toBe('attachment.missing');
      await end(browser);
      expect(await code()).toBe('attachment.link_invalid');
    }
    await site.close();
  });

  test('a session that starts shortly after signing out everywhere can open and upload files (security 9)', async () => {
    const site = await createPasskeySite();
    const { id: owner, email, browser, device } = await site.join();
    const subject = `b2c of ${email}`;
    await site.t.select`
      insert into identities (issuer, subject, person_id, way, created_at)
      select issuer, ${subject}, ${owner}, way, created_at from identities
      where person_id = ${(await site.t.join('b2c@example.com')).id}`;
    const token = await site.t.mint({ sub: subject, auth_time: site.t.clock.now() / 1000 });
    expect((await site.t.call(getMe, { token })).body).toMatchObject({ Id: owner });
    site.t.clock.advance(10_000);
    await postAs(browser, signOutEverywhere, { revokeTokens: false });
    site.t.clock.advance(20_000);
    await site.signIn(browser, device);

    const created = await browser.ask('POST', uploadsPath, {
      headers: {
        'tus-resumable': '1.0.0',
        // An empty upload is finished by its first request.
        'upload-length': '0',
        'upload-metadata': formatMetadata({ name: 'a.txt' }),
      },
    });
    expect(created.statusCode).toBe(201);
    const body = { attachmentIds: [String(created.headers.location).split('/').at(-1)], purpose: 'download' };
    const { path } = (await postAs(browser, linkToAttachments, body)).body;
    expect((await site.t.app.inject(path)).statusCode).toBe(200);
    await site.close();
  });

  test('a link created after a new sign-in is valid even directly after signing out everywhere', async () => {
    const dan = await t.join('dan@example.com');
    const id = await t.upload(dan, 'again.txt', 'x');
    await t.callAs(dan, signOutEverywhere, { body: { revokeTokens: false } });
    const seconds = t.clock.now() / 1000 + 1;
    const token = await t.mint({ sub: dan.subject, emails: [dan.email], auth_time: seconds });
    expect((await t.get(await t.pathTo({ ...dan, token }, [id]))).status).toBe(200);
  });

  test('a link with any altered bit is rejected', async () => {
    const id = await t.upload(ann, 'x.txt', 'x');
    const address = await t.pathTo(ann, [id]);
    const ticket = Buffer.from(address.split('/').at(-1) as string, 'base64url');
    for (let bit = 0; bit < ticket.length * 8; bit += 1) {
      const altered = Buffer.from(ticket);
      altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
      expect((await t.app.inject(`/files/${altered.toString('base64url')}`)).statusCode).toBe(403);
    }
    for (const invalidTicket of ['x', ann.token.slice(0, 74), `${address.split('/').at(-1)}A`])
      expect((await t.app.inject(`/files/${invalidTicket}`)).statusCode).toBe(403);
  });
});
