import { randomBytes } from 'node:crypto';
import { uploadsPath } from '@vestibule/contract/attachments';
import { describe, expect, test } from 'vitest';
import { createListeningApp, uploadIdOf, formatMetadata, smallLimits } from './test-uploads.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(
  await createListeningApp({
    environment: smallLimits,
  }),
);
const ann = await t.join('ann@example.com');
const bob = await t.join('bob@example.com');

describe('an upload request (security 35)', () => {
  test('returns 409 for a wrong offset and writes nothing', async () => {
    const location = await t.newUpload(ann, 10);
    await t.append(ann, location, 0, 'hello');
    expect(await t.append(ann, location, 3, 'lo')).toMatchObject({
      status: 409,
      code: 'upload.offset_mismatch',
    });
    expect((await t.head(ann, location)).headers.get('upload-offset')).toBe('5');
  });

  test('returns the same 404 for an upload of another person and an unknown one (security 14)', async () => {
    const location = await t.newUpload(ann, 10);
    const unknown = `${uploadsPath}/0192f0c1-2345-7abc-8def-0123456789ab`;
    for (const address of [location, unknown, `${uploadsPath}/..%2f..%2fsecret`]) {
      expect(await t.append(bob, address, 0, 'mine now')).toMatchObject({ status: 404 });
      expect((await t.head(bob, address)).status).toBe(404);
      expect((await t.send(address, { method: 'DELETE', token: bob.token })).status).toBe(404);
    }
    expect((await t.head(ann, location)).headers.get('upload-offset')).toBe('0');
  });

  test.each(['-1', '1e3', '1e+21', '9999999999999999', '0x10', 'NaN', '5.5'])(
    'returns 400 for the length %s',
    async (length) => {
      const response = await t.send(uploadsPath, {
        method: 'POST',
        token: ann.token,
        headers: { 'upload-length': length, 'upload-metadata': formatMetadata({ name: 'x' }) },
      });
      expect(response).toMatchObject({ status: 400, code: 'upload.length_invalid' });
    },
  );

  test.each(['-1', '1e3', '9999999999999999', '0x10', 'NaN', '0.5', '1, 2'])(
    'returns 400 for the offset %s',
    async (offset) => {
      const location = await t.newUpload(ann, 10);
      const response = await t.send(location, {
        method: 'PATCH',
        token: ann.token,
        headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': offset },
        body: 'hello',
      });
      expect(response).toMatchObject({ status: 400, code: 'upload.length_invalid' });
      expect((await t.head(ann, location)).headers.get('upload-offset')).toBe('0');
    },
  );

  test('returns 400 for a missing or deferred length', async () => {
    const headers = { 'upload-metadata': formatMetadata({ name: 'x' }) };
    const none = await t.send(uploadsPath, { method: 'POST', token: ann.token, headers });
    expect(none).toMatchObject({ status: 400, code: 'upload.length_invalid' });
    const later = await t.send(uploadsPath, {
      method: 'POST',
      token: ann.token,
      headers: { ...headers, 'upload-defer-length': '1' },
    });
    expect(later).toMatchObject({ status: 400, code: 'upload.length_invalid' });
  });

  test('returns 400 for more bytes than announced', async () => {
    const location = await t.newUpload(ann, 3);
    expect(await t.append(ann, location, 0, 'too many')).toMatchObject({
      status: 400,
      code: 'upload.length_invalid',
    });
    expect(await t.bytesOnDisk(uploadIdOf(location))).toBe(0);
  });

  test('returns 400 for more bytes than announced in a chunked body', async () => {
    const location = await t.newUpload(ann, 100_000);
    const chunks = new ReadableStream({
      start(stream) {
        for (const length of [60_000, 60_000]) stream.enqueue(randomBytes(length));
        stream.close();
      },
    });
    expect(await t.append(ann, location, 0, chunks)).toMatchObject({
      status: 400,
      code: 'upload.length_invalid',
    });
    expect(Number((await t.head(ann, location)).headers.get('upload-offset'))).toBeLessThanOrEqual(100_000);
    expect(await t.select`select from attachments where id = ${uploadIdOf(location)}`).toEqual([]);
  });

  test.each([
    ['no name', formatMetadata({ type: 'text/plain' })],
    ['invalid base64', 'name not-base64!'],
    ['an invalid hash', formatMetadata({ name: 'x', sha256: 'abc' })],
  ])('returns 400 for metadata with %s', async (_what, metadata) => {
    const response = await t.send(uploadsPath, {
      method: 'POST',
      token: ann.token,
      headers: { 'upload-length': '1', 'upload-metadata': metadata },
    });
    expect(response).toMatchObject({ status: 400, code: 'upload.metadata_invalid' });
  });

  test('returns 412 without the header Tus-Resumable', async () => {
    const response = await fetch(new URL(uploadsPath, t.origin), {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'upload-length': '1' },
    });
    expect(response.status).toBe(412);
  });

  test('returns 413 with the limit for a file that is too large', async () => {
    const response = await t.createUpload(ann, { name: 'film.mp4', size: 3 * 1024 * 1024 });
    expect(response).toMatchObject({ status: 413, code: 'upload.file_too_large' });
    expect(response.message).toBe('This file is too large: 3 MB. The limit is 2 MB.');
  });

  test('returns no CORS headers to other origins (security 39)', async () => {
    const response = await t.send(uploadsPath, {
      method: 'OPTIONS',
      token: ann.token,
      headers: { origin: 'https://evil.example' },
    });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
