import { getConfiguration } from '@vestibule/contract/configuration';
import { changeLogo, getSettings } from '@vestibule/contract/settings';
import { beforeEach, describe, expect, test } from 'vitest';
import { png } from '../../test/test-picture.ts';
import { createTestApp } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';

/** Version of the logo setting before each test, when there is no logo. */
let version: number;
const t = closeAfterTests(await createTestApp());
const ann = await t.join('ann@example.com', 'admin');
beforeEach(async () => {
  // Changes are limited per minute.
  t.clock.advance(60_000);
  const { logo } = (await t.callAs(ann, getSettings)).body;
  ({ version } = logo.value ? (await upload(null, logo.version)).body.logo : logo);
});

const text = (value: string) => [...Buffer.from(value, 'latin1')];

/** Minimal files with the bytes that the validation reads. The JPEG has 120 by 40 pixels. */
const jpeg = Buffer.from(
  'ffd8 ffe0 0004 0000 ffc0 000b 08 0028 0078 01 011100 ffda 0002 010203 ffd9'.replaceAll(' ', ''),
  'hex',
);
const webp = (chunk: string, ...rest: number[]) =>
  Buffer.from([
    ...text('RIFF'),
    12 + rest.length,
    0,
    0,
    0,
    ...text('WEBP'),
    ...text(chunk),
    rest.length,
    0,
    0,
    0,
    ...rest,
  ]);
const webps = {
  'VP8 ': webp('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 120, 0, 40, 0),
  VP8L: webp(
    'VP8L',
    0x2f,
    ...(() => {
      const bits = 119 | (39 << 14);
      return [bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, (bits >> 24) & 255];
    })(),
  ),
  VP8X: webp('VP8X', 0, 0, 0, 0, 119, 0, 0, 39, 0, 0),
};

const upload = (picture: Buffer | null, expected: number) =>
  t.callAs(ann, changeLogo, { body: { picture: picture?.toString('base64') ?? null, version: expected } });
const fetchLogo = (headers: Record<string, string> = {}) => t.app.inject({ url: '/api/logo', headers });

test.each([
  ['PNG', png(120, 40), 'image/png'],
  ['JPEG', jpeg, 'image/jpeg'],
  ['WebP, lossy', webps['VP8 '], 'image/webp'],
  ['WebP, lossless', webps.VP8L, 'image/webp'],
  ['WebP, extended', webps.VP8X, 'image/webp'],
])('a %s is served with its own type to all visitors (K5; security 33)', async (_, picture, type) => {
  const { status, body } = await upload(picture, version);
  expect(status).toBe(200);
  expect(body.logo).toMatchObject({ value: { width: 120, height: 40 }, version: version + 1 });
  const path = body.logo.value?.path ?? '';
  expect((await t.call(getConfiguration, {})).body.LogoUrl).toBe(path);
  const response = await t.app.inject({ url: path });
  expect(response.statusCode).toBe(200);
  expect(response.rawPayload.equals(picture)).toBe(true);
  expect(response.headers).toMatchObject({
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=300',
  });
});

test('the picture is sent again only if it has changed (K5)', async () => {
  await upload(png(120, 40), version);
  const { etag } = (await fetchLogo()).headers;
  const known = await fetchLogo({ 'if-none-match': String(etag) });
  expect([known.statusCode, known.payload]).toEqual([304, '']);
  expect((await fetchLogo({ 'if-none-match': `W/${etag}, "other"` })).statusCode).toBe(304);
  await upload(jpeg, version + 1);
  const other = await fetchLogo({ 'if-none-match': String(etag) });
  expect(other.statusCode).toBe(200);
  expect(other.rawPayload.equals(jpeg)).toBe(true);
  expect(await t.select('select from logos')).toHaveLength(1);
});

test('a removed logo is no longer served, and its removal is in the activity log (K5)', async () => {
  expect((await fetchLogo()).statusCode).toBe(404);
  await upload(png(120, 40), version);
  const { body } = await upload(null, version + 1);
  expect(body.logo).toMatchObject({ value: null, version: version + 2, changed: null });
  expect((await fetchLogo()).statusCode).toBe(404);
  expect(await t.select('select from logos')).toEqual([]);
  const entries = await t.select<{ action: string; detail: { after: object | null } }>(
    `select action, detail from audit_log where target_id = 'logo' order by id`,
  );
  expect(entries.slice(-2).map(({ action, detail }) => [action, detail.after])).toEqual([
    [
      'settings.changed',
      { path: expect.stringMatching(/^\/api\/logo\?v=[0-9a-f]{12}$/), width: 120, height: 40 },
    ],
    ['settings.reset', null],
  ]);
});

describe('the logo upload', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  test.each([
    ['an SVG', svg],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from([0xff])],
    ['a PNG cut off', png(120, 40).subarray(0, 30)],
    ['a PNG followed by HTML', Buffer.concat([png(120, 40), svg])],
    ['a JPEG cut off', jpeg.subarray(0, 12)],
    [
      'a JPEG of segments without end',
      Buffer.from([0xff, 0xd8, ...Array.from({ length: 400 }, () => 0xff), 0xff, 0xd9]),
    ],
    [
      'a JPEG of segments without length',
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xe0, 0, 0, 0xff, 0xd9]),
    ],
    ['a WebP cut off', webps.VP8X.subarray(0, 25)],
    ['a sound in RIFF', webp('fmt ', 1, 2, 3, 4)],
    ['a picture without height', png(120, 0)],
    ['a picture of 4097 pixels', png(4097, 40)],
    ['a picture of 4 billion pixels', png(0xff_ff_ff_ff, 40)],
    ['a picture of 204,801 bytes', png(120, 40, 204_801 - png(120, 40).length)],
  ])('rejects %s (K5; security 33)', async (_, picture) => {
    const { status, body } = await upload(picture, version);
    expect(status).toBe(400);
    expect(body.message + JSON.stringify(body.fields)).toMatch(/200 kB/);
    expect((await t.callAs(ann, getSettings)).body.logo.version).toBe(version);
  });

  test('rejects invalid base64 and far too long input (K5)', async () => {
    const send = (picture: unknown) =>
      t.callAs(ann, changeLogo, { body: { picture: picture as string, version } });
    expect((await send('<svg>')).status).toBe(400);
    expect((await send(7)).status).toBe(400);
    expect((await send('A'.repeat(270_000))).status).toBe(400);
    expect((await send('A'.repeat(1_000_000))).status).toBe(413);
  });

  test('accepts a picture of exactly 204,800 bytes (K5)', async () => {
    expect((await upload(png(120, 40, 204_800 - png(120, 40).length), version)).status).toBe(200);
  });
});
