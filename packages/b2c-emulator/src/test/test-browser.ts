/**
 * A scriptless browser for tests, on an emulator without a port. Stores cookies by path, follows redirects
 * within the emulator, and submits forms by button id.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** The final page of a request: a page of the emulator or a URL outside it. */
export type Visit = {
  status: number;
  url: string;
  html: string;
  headers: Record<string, unknown>;
  /** Response parameters from query or fragment; empty for pages of the emulator. */
  response: URLSearchParams;
  /** Returns whether an element with this id exists. */
  has(id: string): boolean;
  /** Returns the value of the input with this id. */
  value(id: string): string | undefined;
  /** Texts of elements with role "alert". */
  alerts: string[];
};

type Cookie = { name: string; value: string; path: string };

/** `origin` is the emulator's public origin. */
export function createTestBrowser(app: FastifyInstance, origin: string) {
  const cookies: Cookie[] = [];

  function keepCookies(setCookie: string | string[] | undefined): void {
    for (const line of [setCookie ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /path=([^;]+)/i.exec(line)?.[1] ?? '/';
      const index = cookies.findIndex((cookie) => cookie.name === name && cookie.path === path);
      if (index >= 0) cookies.splice(index, 1);
      if (!/max-age=0/i.test(line)) cookies.push({ name, value, path });
    }
  }

  async function request(method: 'GET' | 'POST', url: string, form?: Record<string, string>): Promise<Visit> {
    const { pathname, search } = new URL(url, origin);
    const cookie = cookies
      .filter(({ path }) => path === '/' || pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await app.inject({
      method,
      url: pathname + search,
      headers: {
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { payload: new URLSearchParams(form).toString() }),
    });
    keepCookies(response.headers['set-cookie']);
    const location = response.headers.location;
    if (location?.startsWith(`${origin}/`)) return request('GET', location);
    return visit(response.statusCode, location ?? url, response.payload, response.headers);
  }

  return {
    cookies,
    get: (url: string) => request('GET', url),
    post: (url: string, form: Record<string, string>) => request('POST', url, form),
    /** Fills in the form and submits it with a button. */
    submit(page: Visit, buttonId: string, values: Record<string, string> = {}): Promise<Visit> {
      const form: Record<string, string> = {};
      for (const tag of page.html.match(/<input[^>]*>/g) ?? []) {
        const name = attribute(tag, 'name');
        if (name) form[name] = attribute(tag, 'value') ?? '';
      }
      const button = page.html.match(/<button[^>]*>/g)?.find((tag) => attribute(tag, 'id') === buttonId);
      if (!button) throw new Error(`no button #${buttonId} on: ${page.html}`);
      form[attribute(button, 'name') ?? ''] = attribute(button, 'value') ?? '';
      return request('POST', page.url, { ...form, ...values });
    },
  };
}

export type TestBrowser = ReturnType<typeof createTestBrowser>;

function visit(status: number, url: string, html: string, headers: Record<string, unknown>): Visit {
  const address = new URL(url, 'http://localhost');
  const inputs = html.match(/<input[^>]*>/g) ?? [];
  return {
    status,
    url,
    html,
    headers,
    response: new URLSearchParams(address.hash.slice(1) || address.search),
    has: (id) => html.includes(` id="${id}"`),
    value(id) {
      const input = inputs.find((tag) => attribute(tag, 'id') === id);
      return input && attribute(input, 'value');
    },
    alerts: [...html.matchAll(/role="alert"[^>]*>([^<]*)</g)].map((match) => unescapeHtml(match[1]!.trim())),
  };
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Creates a PKCE pair (RFC 7636). */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
