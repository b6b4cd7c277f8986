/** HTTPS client with cookies per host. All hosts are on this machine, and have certificates of the test's authority. */
import { request, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';

export type ReceivedResponse = { status: number; headers: IncomingHttpHeaders; text: string; url: string };
type Options = {
  method?: string;
  /** Text of the request line instead of the path, such as an address. */
  target?: string;
  /** Replaces headers of the client, such as `cookie`. */
  headers?: Record<string, string>;
  body?: string | Buffer;
};
export type Client = ReturnType<typeof createClient>;

/** Headers that browsers send when they load a page. */
export const pageHeaders = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
export const webSocketHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const maximumRedirects = 10;

export function createClient(authority: string) {
  const jars = new Map<string, Map<string, string>>();

  function jarOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  }
  const cookieOf = (url: string) => [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');

  async function send(
    url: string,
    { method = 'GET', target, headers = {}, body }: Options = {},
  ): Promise<ReceivedResponse> {
    const { hostname, host, port, pathname, search } = new URL(url);
    const cookie = cookieOf(url);
    const options: RequestOptions = {
      host: '127.0.0.1',
      port,
      servername: hostname,
      path: target ?? pathname + search,
      method,
      ca: authority,
      agent: false,
      headers: {
        host,
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    };
    const response = await new Promise<ReceivedResponse>((resolve, reject) => {
      const sent = request(options, (received) => {
        let text = '';
        received.setEncoding('utf8').on('data', (part: string) => (text += part));
        received.on('end', () =>
          resolve({ status: received.statusCode ?? 0, headers: received.headers, text, url }),
        );
      });
      sent.on('upgrade', (received, socket) => {
        socket.destroy();
        resolve({ status: received.statusCode ?? 0, headers: received.headers, text: '', url });
      });
      sent.on('error', reject);
      sent.end(body);
    });
    for (const header of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (/max-age=0(?:;|$)/i.test(header)) jarOf(url).delete(name);
      else jarOf(url).set(name, value);
    }
    return response;
  }

  /** Sends a request over HTTP/2 with another `:authority`. Returns the body, which is empty if the connection fails. */
  async function sendAuthority(url: string, authorityHeader: string, cookie: string): Promise<string> {
    const { hostname, port, pathname } = new URL(url);
    const session = connect(`https://127.0.0.1:${port}`, { servername: hostname, ca: authority });
    return new Promise((resolve) => {
      let text = '';
      const finish = () => {
        session.destroy();
        resolve(text);
      };
      session.on('error', finish);
      session
        .request({ ':path': pathname, ':authority': authorityHeader, cookie })
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('error', finish)
        .on('close', finish)
        .end();
    });
  }

  return {
    send,
    sendAuthority,
    jarOf,

    /** Loads a page like a browser, with its redirects. */
    async open(url: string): Promise<ReceivedResponse> {
      let response = await send(url, { headers: pageHeaders });
      for (let count = 0; response.headers.location !== undefined && count < maximumRedirects; count += 1)
        response = await send(new URL(response.headers.location, response.url).href, {
          headers: pageHeaders,
        });
      return response;
    },
  };
}
