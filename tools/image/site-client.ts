/** Asks a site behind a proxy of a trial, over TLS: its name leads to this machine, and its certificate is one of the trial's own. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { siteName } from '../real/proxies.ts';

export type Answer = { status: number; body: Record<string, unknown> };
export type SiteClient = ReturnType<typeof createSiteClient>;

/** Keeps cookies as a browser does, and its connections open. */
export function createSiteClient(port: number, authority: string, servername = siteName) {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(authority), servername });
  const { origin, host } = new URL(`https://${servername}:${port}`);
  const cookies = new Map<string, string>();

  /** Gives status and answer, whatever they are; rejects when the connection breaks. */
  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
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
        ...(text && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(text)),
        }),
      },
    });
    sent.end(text);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    let received = '';
    for await (const part of answer.setEncoding('utf8')) received += String(part);
    const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
    return { status: answer.statusCode ?? 0, body: isJson ? (JSON.parse(received) as Answer['body']) : {} };
  }

  return {
    origin,
    ask,
    /** Throws what was not a success. */
    async order(method: string, path: string, body?: unknown): Promise<Answer['body']> {
      const answer = await ask(method, path, body);
      if (answer.status !== 200)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    close: () => agent.destroy(),
  };
}
