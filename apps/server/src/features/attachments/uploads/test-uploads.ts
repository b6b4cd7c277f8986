/** Test app on a real port with a tus client. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { uploadsPath } from '@vestibule/contract/attachments';
import type { ErrorResponse } from '@vestibule/contract/request-errors';
import { createTestApp, type TestApp, type TestPerson } from '../../../test/test-app.ts';

type FileDescription = { name: string; size: number; type?: string | undefined; sha256?: string };

export function formatMetadata(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export const smallLimits = {
  ATTACHMENT_FILE_LIMIT_MB: '2',
  ATTACHMENT_QUOTA_MB: '5',
  ATTACHMENT_SITE_QUOTA_MB: '12',
};

export const uploadIdOf = (location: string | null) => (location ?? '').split('/').at(-1) as string;

/** Uploads a file in one request, which starts listening. Returns the id of the attachment. */
export async function uploadFile(
  { app }: TestApp,
  person: { token: string },
  name: string,
  contents: string | Uint8Array,
  type?: string,
): Promise<string> {
  const bytes = Buffer.from(contents as string);
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${uploadsPath}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.token}`,
      'tus-resumable': '1.0.0',
      'upload-length': String(bytes.length),
      'upload-metadata': formatMetadata({ name, ...(type !== undefined && { type }) }),
      'content-type': 'application/offset+octet-stream',
    },
    body: bytes,
  });
  if (response.status !== 201) throw new Error(await response.text());
  return uploadIdOf(response.headers.get('location'));
}

export async function createListeningApp(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const origin = await t.app.listen({ port: 0, host: '127.0.0.1' });

  async function send(
    address: string,
    { token, ...init }: Omit<RequestInit, 'headers'> & { token?: string; headers?: Record<string, string> },
  ) {
    const response = await fetch(new URL(address, origin), {
      ...init,
      headers: {
        'tus-resumable': '1.0.0',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...init.headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      code: text.startsWith('{') ? (JSON.parse(text) as ErrorResponse).code : null,
      message: text.startsWith('{') ? (JSON.parse(text) as ErrorResponse).message : null,
    };
  }

  const createUpload = (person: { token: string }, { size, ...metadata }: FileDescription) =>
    send(uploadsPath, {
      method: 'POST',
      token: person.token,
      headers: {
        'upload-length': String(size),
        'upload-metadata': formatMetadata(
          Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)) as Record<
            string,
            string
          >,
        ),
      },
    });

  const append = (
    person: { token: string },
    location: string,
    offset: number,
    body: string | Uint8Array | ReadableStream,
  ) =>
    send(location, {
      method: 'PATCH',
      token: person.token,
      headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      body: body as string,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });

  const head = (person: { token: string }, location: string) =>
    send(location, { method: 'HEAD', token: person.token });

  return {
    ...t,
    origin,
    send,
    createUpload,
    append,
    head,

    /** Creates an upload. Returns its path, or the response body if it was rejected. */
    async newUpload(person: { token: string }, size: number, name = 'file.bin'): Promise<string> {
      const { headers, text } = await createUpload(person, { name, size });
      return headers.get('location') ?? text;
    },

    /** Size of the stored part of an incomplete upload. */
    bytesOnDisk: (id: string) =>
      stat(path.join(t.filesDirectory, id.slice(-2), id.slice(-4, -2), `${id}.part`)).then(
        ({ size }) => size,
      ),

    upload: (person: TestPerson, name: string, contents: string | Uint8Array, type?: string) =>
      uploadFile(t, person, name, contents, type),
  };
}

export type ListeningApp = Awaited<ReturnType<typeof createListeningApp>>;
