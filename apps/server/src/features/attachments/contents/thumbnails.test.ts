/** Small pictures of files: who gives them, what is taken as one, and who sees them (K7; security 9, 33). */
import { thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import {
  deleteAttachment,
  getAttachment,
  listAttachments,
  setThumbnail,
  undoDeletion,
} from '@vestibule/contract/attachments';
import { removePerson } from '@vestibule/contract/people';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { cleanUp } from '../files/clean-up.ts';
import { createContentsApp, type ContentsApp } from './test-contents.ts';

let t: ContentsApp;
let ann: TestPerson;
let bob: TestPerson;
let admin: TestPerson;
beforeAll(async () => {
  t = await createContentsApp();
  ({ admin, ann, bob } = t);
});
afterAll(() => t.close());

/** As much of a PNG as a look into it reads. */
function png(width = 96, height = 72, rest = 0): Buffer {
  const bytes = Buffer.alloc(45 + rest);
  bytes.write('\x89PNG\r\n\x1A\n', 0, 'latin1');
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.write('IEND', bytes.length - 8, 'latin1');
  return bytes;
}

const give = (person: TestPerson, attachmentId: string, picture: Buffer | string = png()) =>
  t.call(setThumbnail, {
    token: person.token,
    params: { attachmentId },
    body: { picture: Buffer.from(picture).toString('base64') },
  });
const see = (person: TestPerson, attachmentId: string, headers: Record<string, string> = {}) =>
  t.app.inject({
    url: setThumbnail.path.replace(':attachmentId', attachmentId),
    headers: { authorization: `Bearer ${person.token}`, ...headers },
  });
const fileOf = async (person: TestPerson, attachmentId: string) =>
  (await t.call(getAttachment, { token: person.token, params: { attachmentId } })).body;
async function pictured(owner: TestPerson = ann): Promise<string> {
  const id = await t.upload(owner, 'house.png', png(4_000, 3_000, 200));
  expect((await give(owner, id)).status).toBe(200);
  return id;
}
const remembered = (id: string) =>
  t.select('select from attachment_thumbnails where attachment_id = $1', [id]);
const refused = ({ statusCode: status, json }: Awaited<ReturnType<typeof see>>) => ({
  status,
  code: json<{ code: string }>().code,
});
const unseen = { status: 404, code: 'attachment.not_found' };

test('its owner gives a picture a small one, which lists and the file name from then on', async () => {
  const id = await t.upload(ann, 'garden.png', png(4_000, 3_000));
  expect(await fileOf(ann, id)).toMatchObject({ kind: 'picture', thumbnail: false, version: 1 });
  expect(refused(await see(ann, id))).toEqual(unseen);
  expect((await give(ann, id)).body).toMatchObject({ id, thumbnail: true, version: 1 });
  expect(await fileOf(ann, id)).toMatchObject({ thumbnail: true });
  const { rows } = (await t.call(listAttachments, { token: ann.token, query: { search: 'garden' } })).body;
  expect(rows).toMatchObject([{ id, thumbnail: true }]);
});

test('it is served as what it is and as nothing that runs, and again only when it is another one', async () => {
  const id = await pictured();
  const answer = await see(ann, id);
  expect(answer.rawPayload.equals(png())).toBe(true);
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'cross-origin-resource-policy': 'same-origin',
  });
  const again = await see(ann, id, { 'if-none-match': String(answer.headers.etag) });
  expect({ status: again.statusCode, length: again.rawPayload.length }).toEqual({ status: 304, length: 0 });
});

test('the first one stays, and the activity log says nothing of it, nor of who sees it', async () => {
  const id = await pictured();
  expect((await give(ann, id, png(10, 10))).status).toBe(200);
  expect((await see(ann, id)).rawPayload.equals(png())).toBe(true);
  expect(await t.select('select action from audit_log where target_id = $1', [id])).toEqual([
    { action: 'attachment.uploaded' },
  ]);
});

describe('who may', () => {
  test('only the owner gives one: for others there is no such file, or it is not theirs', async () => {
    const id = await t.upload(ann, 'hers.png', png());
    expect((await give(bob, id)).body.code).toBe('attachment.not_found');
    expect((await give(admin, id)).body.code).toBe('attachment.owner_only');
    await t.share(ann, id, { sharing: 'everyone' });
    expect((await give(bob, id)).body.code).toBe('attachment.owner_only');
    expect(await remembered(id)).toEqual([]);
  });

  test('whoever may open the file sees it, as long as they may; no administrator besides (security 9, 14)', async () => {
    const id = await pictured();
    for (const person of [bob, admin]) expect(refused(await see(person, id))).toEqual(unseen);
    expect(await fileOf(admin, id)).toMatchObject({ thumbnail: false });
    await t.share(ann, id, { sharing: 'everyone' });
    const { headers, statusCode } = await see(bob, id);
    expect(statusCode).toBe(200);
    expect(await fileOf(bob, id)).toMatchObject({ thumbnail: true });
    await t.share(ann, id, { sharing: 'nobody' });
    // Not even that it is still the same.
    expect(refused(await see(bob, id, { 'if-none-match': String(headers.etag) }))).toEqual(unseen);
  });

  test.each(['scanning', 'quarantined', 'missing'] as const)(
    'nobody sees that of a file that is %s',
    async (status) => {
      const id = await pictured();
      await t.select('update attachments set status = $2 where id = $1', [id, status]);
      expect(refused(await see(ann, id)).code).toBe(`attachment.${status}`);
      expect(await fileOf(ann, id)).toMatchObject({ thumbnail: false });
    },
  );

  test('an address that is none of a file', async () => {
    expect(refused(await see(ann, 'nonsense'))).toEqual(unseen);
  });
});

describe('what is taken as one', () => {
  const { bytes, pixels } = thumbnailMaximum;
  const moving = Buffer.concat([png().subarray(0, 33), Buffer.from('\0\0\0\bacTL'), png().subarray(33)]);
  test.each([
    ['as large as can be', 200, png(pixels, pixels, bytes - 45)],
    ['a byte too long', 400, png(96, 96, bytes - 44)],
    ['a pixel too wide', 400, png(pixels + 1, 1)],
    ['moving', 400, moving],
    ['nothing', 400, Buffer.alloc(0)],
    ['cut off', 400, png().subarray(0, 30)],
    ['an SVG', 400, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a page', 400, '<!doctype html><script>alert(1)</script>'],
    ['a GIF', 400, 'GIF89a\x01\x00\x01\x00'],
  ])('a small picture that is %s: %d', async (_what, status, picture) => {
    const id = await t.upload(ann, 'x.png', png());
    expect((await give(ann, id, picture)).status).toBe(status);
    expect(await remembered(id)).toHaveLength(status === 200 ? 1 : 0);
  });

  test('never for a file that is no picture, whatever it is called', async () => {
    for (const [name, contents] of [
      ['x.png', 'a text'],
      ['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ] as const) {
      const id = await t.upload(ann, name, contents, 'image/png');
      expect((await give(ann, id)).body.code).toBe('attachment.thumbnail_unusable');
      expect(await remembered(id)).toEqual([]);
    }
  });
});

describe('it goes and comes with its file', () => {
  const remove = (id: string) => t.call(deleteAttachment, { token: ann.token, params: { attachmentId: id } });

  test('which is deleted and brought back', async () => {
    const id = await pictured();
    const { deletionId } = (await remove(id)).body;
    expect(refused(await see(ann, id))).toEqual(unseen);
    expect((await give(ann, id)).body.code).toBe('attachment.not_found');
    await t.call(undoDeletion, { token: ann.token, params: { deletionId } });
    expect((await see(ann, id)).statusCode).toBe(200);
  });

  test('which is deleted for good', async () => {
    const id = await pictured();
    await remove(id);
    const later = () => t.clock.now() + 6 * 60_000;
    await cleanUp({ database: t.database, storage: t.storage, scans: false, now: later });
    expect(await remembered(id)).toEqual([]);
  });

  test('which is handed over', async () => {
    const cem = await t.join('cem@example.com');
    const id = await pictured(cem);
    await t.call(removePerson, { token: admin.token, params: { personId: cem.id }, query: {} });
    expect((await see(admin, id)).statusCode).toBe(200);
    expect(await fileOf(admin, id)).toMatchObject({ ownerId: admin.id, thumbnail: true });
  });
});
