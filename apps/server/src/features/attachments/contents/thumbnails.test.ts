import { thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import {
  deleteAttachment,
  getAttachment,
  listAttachments,
  setThumbnail,
  sharingModes,
  undoDeletion,
} from '@vestibule/contract/attachments';
import { describe, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { png } from '../../../test/test-picture.ts';
import { cleanUpFiles } from '../files/clean-up.ts';
import { createContentsApp } from './test-contents.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createContentsApp());
const { admin, ann, bob } = t;

const addThumbnail = (person: TestPerson, attachmentId: string, picture: Buffer | string = png()) =>
  t.callAs(person, setThumbnail, {
    params: { attachmentId },
    body: { picture: Buffer.from(picture).toString('base64') },
  });
const getThumbnail = (person: TestPerson, attachmentId: string, headers: Record<string, string> = {}) =>
  t.app.inject({
    url: setThumbnail.path.replace(':attachmentId', attachmentId),
    headers: { authorization: `Bearer ${person.token}`, ...headers },
  });
const fileOf = async (person: TestPerson, attachmentId: string) =>
  (await t.callAs(person, getAttachment, { params: { attachmentId } })).body;
async function uploadWithThumbnail(owner: TestPerson = ann): Promise<string> {
  const id = await t.upload(owner, 'house.png', png(4_000, 3_000, 200));
  expect((await addThumbnail(owner, id)).status).toBe(200);
  return id;
}
const storedThumbnails = (id: string) =>
  t.select`select from attachment_thumbnails where attachment_id = ${id}`;
const errorOf = ({ statusCode: status, json }: Awaited<ReturnType<typeof getThumbnail>>) => ({
  status,
  code: json<{ code: string }>().code,
});
const notFound = { status: 404, code: 'attachment.not_found' };

test('after the owner adds a thumbnail to a picture, the details and the list of files report a thumbnail', async () => {
  const id = await t.upload(ann, 'garden.png', png(4_000, 3_000));
  expect(await fileOf(ann, id)).toMatchObject({ kind: 'picture', thumbnail: false, version: 1 });
  expect(errorOf(await getThumbnail(ann, id))).toEqual(notFound);
  expect((await addThumbnail(ann, id)).body).toMatchObject({ id, thumbnail: true, version: 1 });
  expect(await fileOf(ann, id)).toMatchObject({ thumbnail: true });
  const { rows } = (await t.callAs(ann, listAttachments, { query: { search: 'garden' } })).body;
  expect(rows).toMatchObject([{ id, thumbnail: true }]);
});

test('a thumbnail is served with its type and a sandbox policy; a request for an unchanged one returns 304', async () => {
  const id = await uploadWithThumbnail();
  const response = await getThumbnail(ann, id);
  expect(response.rawPayload.equals(png())).toBe(true);
  expect(response.headers).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'cross-origin-resource-policy': 'same-origin',
  });
  const secondResponse = await getThumbnail(ann, id, { 'if-none-match': String(response.headers.etag) });
  expect({ status: secondResponse.statusCode, length: secondResponse.rawPayload.length }).toEqual({
    status: 304,
    length: 0,
  });
});

test('the first thumbnail is permanent, and neither adding nor viewing it is logged', async () => {
  const id = await uploadWithThumbnail();
  expect((await addThumbnail(ann, id, png(10, 10))).status).toBe(200);
  expect((await getThumbnail(ann, id)).rawPayload.equals(png())).toBe(true);
  expect(await t.select`select action from audit_log where target_id = ${id}`).toEqual([
    { action: 'attachment.uploaded' },
  ]);
});

describe('access to thumbnails', () => {
  test('only the owner can add a thumbnail', async () => {
    const id = await t.upload(ann, 'hers.png', png());
    expect((await addThumbnail(bob, id)).body.code).toBe('attachment.not_found');
    expect((await addThumbnail(admin, id)).body.code).toBe('attachment.owner_only');
    await t.share(ann, id, { sharing: 'everyone' });
    expect((await addThumbnail(bob, id)).body.code).toBe('attachment.owner_only');
    expect(await storedThumbnails(id)).toEqual([]);
  });

  test('only people who may open the file can see its thumbnail, administrators cannot (security 9, 14)', async () => {
    const id = await uploadWithThumbnail();
    for (const person of [bob, admin]) expect(errorOf(await getThumbnail(person, id))).toEqual(notFound);
    expect(await fileOf(admin, id)).toMatchObject({ thumbnail: false });
    await t.share(ann, id, { sharing: 'everyone' });
    const { headers, statusCode } = await getThumbnail(bob, id);
    expect(statusCode).toBe(200);
    expect(await fileOf(bob, id)).toMatchObject({ thumbnail: true });
    await t.share(ann, id, { sharing: sharingModes.private });
    // A request with the ETag of the thumbnail gets 404, too, and not 304.
    expect(errorOf(await getThumbnail(bob, id, { 'if-none-match': String(headers.etag) }))).toEqual(notFound);
  });

  test.each(['scanning', 'quarantined', 'missing'] as const)(
    'the thumbnail of a file that is %s is not served',
    async (status) => {
      const id = await uploadWithThumbnail();
      await t.select`update attachments set status = ${status} where id = ${id}`;
      expect(errorOf(await getThumbnail(ann, id)).code).toBe(`attachment.${status}`);
      expect(await fileOf(ann, id)).toMatchObject({ thumbnail: false });
    },
  );
});

describe('setThumbnail', () => {
  const { bytes, pixels } = thumbnailMaximum;
  const moving = Buffer.concat([png().subarray(0, 33), Buffer.from('\0\0\0\bacTL'), png().subarray(33)]);
  test.each([
    ['of the maximum size', 200, png(pixels, pixels, bytes - 45)],
    ['one byte too large', 400, png(96, 96, bytes - 44)],
    ['one pixel too wide', 400, png(pixels + 1, 1)],
    ['animated', 400, moving],
    ['an SVG', 400, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ])('responds to a picture that is %s with status %d', async (_what, status, picture) => {
    const id = await t.upload(ann, 'x.png', png());
    expect((await addThumbnail(ann, id, picture)).status).toBe(status);
    expect(await storedThumbnails(id)).toHaveLength(status === 200 ? 1 : 0);
  });

  test('rejects a thumbnail for a file that is not a picture, even if its name ends like that of a picture', async () => {
    for (const [name, contents] of [
      ['x.png', 'a text'],
      ['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ] as const) {
      const id = await t.upload(ann, name, contents, 'image/png');
      expect((await addThumbnail(ann, id)).body.code).toBe('attachment.thumbnail_unusable');
      expect(await storedThumbnails(id)).toEqual([]);
    }
  });
});

describe('the thumbnail of a file', () => {
  const remove = (id: string) => t.callAs(ann, deleteAttachment, { params: { attachmentId: id } });

  test('is hidden while the file is deleted and returns when it is restored', async () => {
    const id = await uploadWithThumbnail();
    const { deletionId } = (await remove(id)).body;
    expect(errorOf(await getThumbnail(ann, id))).toEqual(notFound);
    expect((await addThumbnail(ann, id)).body.code).toBe('attachment.not_found');
    await t.callAs(ann, undoDeletion, { params: { deletionId } });
    expect((await getThumbnail(ann, id)).statusCode).toBe(200);
  });

  test('is erased with the file', async () => {
    const id = await uploadWithThumbnail();
    await remove(id);
    const inSixMinutes = () => t.clock.now() + 6 * 60_000;
    await cleanUpFiles({ database: t.database, storage: t.storage, scans: false, now: inSixMinutes });
    expect(await storedThumbnails(id)).toEqual([]);
  });
});
