/** HTTPS client for a site behind a proxy on this machine, with the certificate authority of the test. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { siteName } from '../integration/start-proxy.ts';

type Answer = { status: number; body: Record<string, unknown> };
export type SiteClient = ReturnType<typeof createSiteClient>;

export function createSiteClient(port: number, authority: string, servername = siteName) {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(authority), servername });
  const { origin, host } = new URL(`https://${servername}:${port}`);
  const cookies = new Map<string, string>();

  async function send(method: string, path: string, headers: Record<string, string>, bytes: string | Buffer) {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent,
      headers: {
        host,
        origin,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...headers,
        ...(bytes.length > 0 && { 'content-length': String(Buffer.byteLength(bytes)) }),
      },
    });
    sent.end(bytes);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const received = await text(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, received };
  }

  /** Returns status and body of any response. Rejects if the connection breaks. */
  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const { status, headers, received } = await (body === undefined
      ? send(method, path, {}, '')
      : send(method, path, { 'content-type': 'application/json' }, JSON.stringify(body)));
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    return { status, body: isJson ? (JSON.parse(received) as Answer['body']) : {} };
  }

  return {
    origin,
    call,
    async callOk(method: string, path: string, body?: unknown): Promise<Answer['body']> {
      const answer = await call(method, path, body);
      if (answer.status !== 200)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async upload(name: string, contents: Buffer): Promise<string> {
      const { status, headers, received } = await send(
        'POST',
        '/api/attachments/uploads',
        {
          'tus-resumable': '1.0.0',
          'upload-length': String(contents.length),
          'upload-metadata': `name ${Buffer.from(name).toString('base64')}`,
          'content-type': 'application/offset+octet-stream',
        },
        contents,
      );
      const id = headers.location?.split('/').at(-1);
      if (status !== 201 || !id) throw new Error(`${name} was not uploaded: ${status} ${received}`);
      return id;
    },
    close: () => agent.destroy(),
  };
}
