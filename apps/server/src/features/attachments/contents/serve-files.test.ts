import { randomBytes } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { attachmentSkipped } from '@vestibule/contract/attachments/errors';
import { getAttachment, linkToAttachments } from '@vestibule/contract/attachments';
import { describeSkipped } from '../../../platform/lists/bulk-action.ts';
import { unzipSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { withRefusedWrites } from '../../../test/database/test-faults.ts';
import { createListeningApp, sha256Of } from '../uploads/test-uploads.ts';
import { codeOf, createContentsApp } from './test-contents.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createContentsApp());
const { admin, ann, bob } = t;

const fileOf = (id: string) => path.join(t.filesDirectory, id.slice(-2), id.slice(-4, -2), id);

test('a link returns the file without an access token', async () => {
  const bytes = randomBytes(700_000);
  const id = await t.upload(ann, 'Übersicht "1".bin', bytes);
  const response = await t.get(await t.pathTo(ann, [id]));
  expect(response.status).toBe(200);
  expect(response.bytes.equals(bytes)).toBe(true);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-length': '700000',
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="_bersicht _1_.bin"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.bin`,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'accept-ranges': 'bytes',
    etag: `"${sha256Of(bytes)}"`,
  });
});

describe('the activity log of file access', () => {
  const logged = async (id: string) =>
    (
      await t.select<{ action: string; actor_label: string }>`
        select action, actor_label from audit_log where target_id = ${id} and action <> 'attachment.uploaded' order by id`
    ).map(({ action, actor_label: actor }) => `${actor} ${action}`);

  test('contains one download per link, even if the link is requested several times', async () => {
    const id = await t.upload(ann, 'logged.txt', 'text', 'text/plain');
    const address = await t.pathTo(ann, [id]);
    for (const range of ['bytes=0-0', 'bytes=1-']) await t.get(address, { range });
    await t.pathTo(ann, [id]);
    expect(await logged(id)).toEqual([
      'ann@example.com attachment.downloaded',
      'ann@example.com attachment.downloaded',
    ]);
  });

  test('contains one view per person and day', async () => {
    const id = await t.upload(ann, 'seen.txt', 'text', 'text/plain');
    await t.share(ann, id, { sharing: 'everyone' });
    for (const person of [bob, ann, bob, ann]) {
      const response = await t.get(await t.pathTo(person, [id], 'preview'));
      expect(response.headers.get('content-disposition')).toMatch(/^inline;/);
    }
    const once = ['bob@example.com attachment.viewed', 'ann@example.com attachment.viewed'];
    expect((await logged(id)).slice(1)).toEqual(once);
    t.clock.advance(24 * 3_600_000);
    const bobWithNewToken = { ...bob, token: await t.mint({ sub: bob.subject, emails: [bob.email] }) };
    await t.pathTo(bobWithNewToken, [id], 'preview');
    expect((await logged(id)).slice(1)).toEqual([...once, 'bob@example.com attachment.viewed']);
    for (const person of [ann, bob, admin])
      person.token = await t.mint({ sub: person.subject, emails: [person.email] });
  });

  test.each([
    ['program.exe', 'MZ', 'application/octet-stream'],
    ['page.html', '<script>1</script>', 'text/html'],
  ])('contains a download if a "preview" of %s is requested', async (name, contents, type) => {
    const id = await t.upload(ann, name, contents, type);
    const response = await t.get(await t.pathTo(ann, [id], 'preview'));
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(await logged(id)).toEqual(['ann@example.com attachment.downloaded']);
  });

  test('contains every opened file: opening a file fails if it cannot be recorded', async () => {
    const id = await t.upload(ann, 'unlogged.txt', 'text', 'text/plain');
    const second = await createListeningApp({
      sharedWith: t,
      wrapStorage: () => t.storage,
      wrapDatabase: (database) => ({
        ...database,
        transaction: (work) =>
          database.transaction((transaction) =>
            work({
              query: (config) =>
                config.name === 'record-changes'
                  ? Promise.reject(new Error('no log'))
                  : transaction.query(config),
            }),
          ),
      }),
    });
    try {
      const body = { attachmentIds: [id], purpose: 'preview' as const };
      expect((await second.callAs(ann, linkToAttachments, { body })).status).toBe(500);
    } finally {
      await second.close();
    }
    await t.pathTo(ann, [id], 'preview');
    expect(await logged(id)).toEqual(['ann@example.com attachment.viewed']);
  });
});

test('links are limited per person and hour, counting each file, and 429 has a Retry-After header', async () => {
  const eve = await t.join('eve@example.com');
  const id = await t.upload(eve, 'often.txt', 'x', 'text/plain');
  const unknown = Array.from(
    { length: 999 },
    (_, number) => `0192f0c1-2345-7abc-8def-${String(number).padStart(12, '0')}`,
  );
  expect((await t.link(eve, [id, ...unknown])).status).toBe(200);
  await t.select`
    update rate_limits set used = 19999 where key = ${`attachment links:${eve.id}`} and used = 1000`;
  expect((await t.link(eve, [id, ...unknown])).body.code).toBe('attachment.too_often');
  expect((await t.link(eve, [id])).status).toBe(200);
  for (const purpose of ['download', 'preview'] as const) {
    const refused = await t.link(eve, [id], purpose);
    expect(refused).toMatchObject({ status: 429, body: { code: 'attachment.too_often' } });
    expect(refused.headers['retry-after']).toBe('3600');
  }
  expect((await t.link(bob, [id])).status, 'other people are not limited').toBe(404);
  t.clock.advance(3_600_000);
  const bobWithNewToken = { ...eve, token: await t.mint({ sub: eve.subject, emails: [eve.email] }) };
  expect((await t.link(bobWithNewToken, [id])).status).toBe(200);
  for (const person of [ann, bob, admin])
    person.token = await t.mint({ sub: person.subject, emails: [person.email] });
});

describe('Range header (security 35)', () => {
  let address: string;
  let etag: string;
  beforeAll(async () => {
    const id = await t.upload(ann, 'digits.txt', '0123456789', 'text/plain');
    address = await t.pathTo(ann, [id]);
    etag = `"${sha256Of(Buffer.from('0123456789'))}"`;
  });

  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=5-999999999', '56789', 'bytes 5-9/10'],
  ])('%s returns "%s"', async (range, text, contentRange) => {
    const response = await t.get(address, { range });
    expect(response.status).toBe(206);
    expect(response.bytes.toString()).toBe(text);
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(text.length));
  });

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s returns 416', async (range) => {
    const response = await t.get(address, { range });
    expect(response.status).toBe(416);
    expect(codeOf(response)).toBe('attachment.range_invalid');
    expect(response.headers.get('content-range')).toBe('bytes */10');
  });

  test.each([
    `bytes=${Array.from({ length: 1000 }, (_, index) => `${index % 10}-`).join(',')}`,
    'bytes=3-1',
    'bytes=-',
    'bytes=a-b',
    'lines=1-2',
    'bytes=99999999999999999999-',
  ])('%.20s… is ignored and returns the whole file', async (range) => {
    const response = await t.get(address, { range });
    expect({ status: response.status, text: response.bytes.toString() }).toEqual({
      status: 200,
      text: '0123456789',
    });
  });

  test('If-Range resumes a download only of the same file', async () => {
    const same = await t.get(address, { range: 'bytes=5-', 'if-range': etag });
    expect({ status: same.status, text: same.bytes.toString() }).toEqual({ status: 206, text: '56789' });
    const other = await t.get(address, { range: 'bytes=5-', 'if-range': '"another"' });
    expect({ status: other.status, text: other.bytes.toString() }).toEqual({
      status: 200,
      text: '0123456789',
    });
  });

  test('HEAD returns the headers only, and If-None-Match returns 304 for the same file', async () => {
    const head = await t.get(address, {}, 'HEAD');
    expect({ status: head.status, length: head.headers.get('content-length') }).toEqual({
      status: 200,
      length: '10',
    });
    expect((await t.get(address, { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('content that could run is only downloaded (security 33)', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  test.each([
    ['page.html', 'text/html', '<script>alert(1)</script>', 'application/octet-stream', 'attachment'],
    ['drawing.svg', 'image/svg+xml', svg, 'application/octet-stream', 'attachment'],
    ['data.xml', 'text/xml', '<?xml version="1.0"?><x/>', 'application/octet-stream', 'attachment'],
    [
      'page.xhtml',
      'application/xhtml+xml',
      '<html xmlns="http://www.w3.org/1999/xhtml"/>',
      'application/octet-stream',
      'attachment',
    ],
    ['sheet.xsl', 'text/xsl', '<xsl:stylesheet/>', 'application/octet-stream', 'attachment'],
    ['page.mhtml', 'multipart/related', 'MIME-Version: 1.0', 'application/octet-stream', 'attachment'],
    ['page.svgz', 'image/svg+xml', '\x1f\x8b', 'application/octet-stream', 'attachment'],
    ['drawing.png', 'image/png', svg, 'application/octet-stream', 'attachment'],
    ['svg.txt', 'text/plain', svg, 'text/plain; charset=utf-8', 'inline'],
    ['html.png', 'text/html', '\x89PNG\r\n\x1a\n<script>alert(1)</script>', 'image/png', 'inline'],
    ['pdf.html', 'text/html', '%PDF-1.7 <script>alert(1)</script>', 'application/pdf', 'attachment'],
    [
      'html.pdf',
      'application/pdf',
      '<script>alert(1)</script>%PDF-1.7',
      'application/octet-stream',
      'attachment',
    ],
    ['script.js', 'text/javascript', 'alert(1)', 'application/octet-stream', 'attachment'],
    ['page.png', 'image/png', '<script>alert(1)</script>', 'application/octet-stream', 'attachment'],
    ['gif.html', 'text/html', 'GIF89a/*<script>alert(1)</script>', 'image/gif', 'inline'],
    ['paper.pdf', 'application/pdf', '%PDF-1.7 <script>', 'application/pdf', 'attachment'],
    ['page.txt', 'text/plain', '<script>alert(1)</script>', 'text/plain; charset=utf-8', 'inline'],
    ['zero.txt', 'text/plain', 'a\0b', 'application/octet-stream', 'attachment'],
  ])('%s declared as %s is served safely', async (name, declared, contents, type, disposition) => {
    const id = await t.upload(ann, name, Buffer.from(contents, 'latin1'), declared);
    const response = await t.get(await t.pathTo(ann, [id], 'preview'));
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
    expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const download = await t.get(await t.pathTo(ann, [id]));
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(download.headers.get('content-type')).toBe(type);
    expect(download.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(download.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test.each([
  ['UTF-8', Buffer.from('Müller')],
  ['Windows-1252', Buffer.from('M\xFCller \x93x\x94', 'latin1')],
  ['UTF-16', Buffer.from('\uFEFFMüller', 'utf16le')],
])('a text in %s has a preview', async (_encoding, contents) => {
  const id = await t.upload(ann, 'list.csv', contents, 'text/csv');
  const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: id } });
  expect(body.kind).toBe('text');
});

test('an intact file is served even if its verification cannot be recorded', async () => {
  const id = await t.upload(ann, 'whole.txt', 'whole');
  const address = await t.pathTo(ann, [id]);
  const got = await withRefusedWrites(t, 'attachments', () => t.get(address), {
    of: 'update of verified_at',
  });
  expect(got.bytes.toString()).toBe('whole');
});

describe('damaged storage (security 36)', () => {
  const alerts = () => t.log.filter((line) => line.includes('"alert":"attachment_damaged"'));

  test.each([
    ['missing', (file: string) => rm(file)],
    ['truncated', (file: string) => truncate(file, 5)],
  ])('a file that is %s returns 410, logs an alert and gets the status "missing"', async (_what, damage) => {
    const id = await t.upload(ann, 'lost.txt', 'this will be lost');
    const address = await t.pathTo(ann, [id]);
    await damage(fileOf(id));
    const before = alerts().length;
    const response = await t.get(address);
    expect({ status: response.status, code: codeOf(response) }).toEqual({
      status: 410,
      code: 'attachment.missing',
    });
    expect(alerts()).toHaveLength(before + 1);
    const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: id } });
    expect(body).toMatchObject({ status: 'missing', may: { open: false, delete: true } });
    expect((await t.link(ann, [id])).body.code).toBe('attachment.missing');
  });

  test('contents that were altered on the disk are never sent completely', async () => {
    for (const { headers = {}, isRead = false } of [
      {},
      // A range that covers the whole file.
      { headers: { range: 'bytes=0-' } },
      { isRead: true },
    ]) {
      const bytes = randomBytes(900_000);
      const id = await t.upload(ann, 'altered.bin', bytes);
      if (isRead) {
        await t.get(await t.pathTo(ann, [id]));
        // The file is verified again after a day.
        t.clock.advance(25 * 3_600_000);
        ann.token = await t.mint({ sub: ann.subject, emails: [ann.email] });
      }
      bytes[450_000] = (bytes[450_000] as number) ^ 1;
      await writeFile(fileOf(id), bytes);
      const address = await t.pathTo(ann, [id]);
      await expect(t.get(address, headers)).rejects.toThrow();
      await expect.poll(() => alerts().filter((line) => line.includes(id))).toHaveLength(1);
      expect((await t.get(address)).status).toBe(410);
    }
  });
});

describe('a link to several files', () => {
  test('returns a ZIP with unique names and reports files that cannot be opened', async () => {
    const token = await t.mint({ sub: ann.subject, emails: [ann.email] });
    const owner = { ...ann, token };
    const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(500_000)]);
    const ids = [
      await t.upload(owner, 'same.txt', 'one', 'text/plain'),
      await t.upload(owner, 'same.txt', 'two', 'text/plain'),
      await t.upload(owner, 'Bild ö.png', picture, 'image/png'),
      await t.upload(owner, 'empty', ''),
    ];
    const unknown = '0192f0c1-2345-7abc-8def-0123456789ab';
    const { body } = await t.link(owner, [...ids, unknown]);
    expect(body.skipped).toEqual([describeSkipped(unknown, '', attachmentSkipped.notReadable)]);
    const response = await t.get(body.path);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="attachments-\d{4}-\d\d-\d\d\.zip"/,
    );
    const files = unzipSync(response.bytes);
    expect(Object.keys(files)).toEqual(['same.txt', 'same (2).txt', 'Bild ö.png', 'empty']);
    expect(Buffer.from(files['same (2).txt'] as Uint8Array).toString()).toBe('two');
    expect(Buffer.from(files['Bild ö.png'] as Uint8Array).equals(picture)).toBe(true);
    const rows = await t.select`
      select target_type, target_label, detail from audit_log
      where action = 'attachment.downloaded' and detail::text like '%' || ${ids[0]} || '%'`;
    const names = ['same.txt', 'same.txt', 'Bild ö.png', 'empty'];
    expect(rows, 'one row with all files').toEqual([
      {
        target_type: 'attachment_bundle',
        target_label: 'same.txt, same.txt, Bild ö.png, empty',
        detail: { files: ids.map((id, index) => ({ id, name: names[index] })) },
      },
    ]);
  });

  test('returns the reason if none of the files can be opened', async () => {
    for (const person of [ann, bob])
      person.token = await t.mint({ sub: person.subject, emails: [person.email] });
    const ids = [await t.upload(ann, 'one.txt', '1'), await t.upload(ann, 'two.txt', '2')];
    await t.select`update attachments set status = 'scanning' where id = any(${ids})`;
    expect((await t.link(ann, ids)).body.code).toBe('attachment.scanning');
    expect((await t.link(bob, ids)).body.code).toBe('attachment.not_found');
  });
});
