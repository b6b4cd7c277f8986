/** Layout and components of the pages, which have no script. Texts are B2C's default ones where it has them. */
import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { Tenant } from '../tenant/tenant.ts';

/** Text that is already HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag that escapes every value except `Html`. false and undefined render nothing. */
export function html(
  strings: TemplateStringsArray,
  ...values: (Html | Html[] | string | false | undefined)[]
): Html {
  const texts = values.map((value) => {
    if (value instanceof Html) return value.text;
    if (Array.isArray(value)) return value.map(({ text }) => text).join('');
    return (value || '').replace(/[&<>"']/g, (character) => entities[character]!);
  });
  return new Html(String.raw({ raw: strings }, ...texts));
}

type Page = {
  title: string;
  lead?: string;
  body: Html;
  /** Adds "Error: " to the tab title. */
  isError?: boolean;
  /** Default: 200. */
  status?: number | undefined;
  /** The application's URL: browsers apply `form-action` to redirects after a submit, so it must be allowed. */
  formTarget?: string;
};

export function sendPage(reply: FastifyReply, { brand: { name, logo } }: Tenant, page: Page): FastifyReply {
  const { title, lead, body, isError = false, status = 200, formTarget } = page;
  const sources = [formTarget, logo].map((address) => (address ? ` ${getSource(address)}` : ''));
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'self'; img-src data:${sources[1]}; form-action 'self'${sources[0]}; base-uri 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
    })
    .send(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="robots" content="noindex" />
            <title>${isError && 'Error: '}${title} · ${name}</title>
            <link rel="icon" href="data:," />
            <link rel="stylesheet" href="/b2c-emulator.css" />
          </head>
          <body>
            <main>
              <p class="brand">${logo !== null && html`<img src="${logo}" alt="" />`}<span>${name}</span></p>
              <h1>${title}</h1>
              ${lead && html`<p class="lead">${lead}</p>`} ${body}
            </main>
            <footer>Development sign-in. Not for production.</footer>
          </body>
        </html>`.text,
    );
}

type Message = Omit<Page, 'body'> & { detail?: string; applicationUrl?: string | undefined };

/** Sends a page with a message and, if known, a link to the application. */
export function sendMessage(
  reply: FastifyReply,
  tenant: Tenant,
  { detail, applicationUrl, ...page }: Message,
): FastifyReply {
  const back = applicationUrl && html`<a class="button" href="${applicationUrl}">Back to the application</a>`;
  const body = html`${detail && html`<p class="detail">${detail}</p>`}${back}`;
  return sendPage(reply, tenant, { ...page, body });
}

/** Returns the Content-Security-Policy source of a URL: its origin, or its scheme for native applications. */
export function getSource(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

/** Returns the origin of a redirect URI; undefined for native applications. */
export function getApplicationUrl(redirectUri: string | undefined): string | undefined {
  if (redirectUri === undefined) return undefined;
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'http:' || protocol === 'https:' ? `${origin}/` : undefined;
}

export type Field = {
  /** Form field name, and element id unless `elementId` is set. */
  id: string;
  elementId?: string;
  labelId?: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  note?: string;
  readonly?: boolean;
  autocomplete: string;
};

/** Messages by field id. */
export type FieldProblems = Record<string, string>;

/** Renders fields with their errors. Focuses the first invalid field, otherwise the first empty one. */
export function fields(list: Field[], problems: FieldProblems = {}): Html {
  const focused =
    list.find(({ id }) => problems[id]) ?? list.find(({ readonly, value }) => !readonly && !value);
  return html`${list.map((field) => {
    const { id: name, elementId: id = name, labelId, label, type = 'text', value, note, readonly } = field;
    const problem = problems[name];
    const described = [problem && `${id}-problem`, note && `${id}-note`].filter(Boolean).join(' ');
    return html`<div class="field">
      <label for="${id}" ${labelId && html`id="${labelId}"`}>${label}</label>
      <input
        id="${id}"
        name="${name}"
        type="${type}"
        value="${value}"
        autocomplete="${field.autocomplete}"
        ${readonly && html`readonly`}
        ${described && html`aria-describedby="${described}"`}
        ${problem && html`aria-invalid="true"`}
        ${field === focused && html`autofocus`}
      />
      ${problem && html`<p class="problem" id="${id}-problem" role="alert">${problem}</p>`}
      ${note && html`<p class="note" id="${id}-note">${note}</p>`}
    </div>`;
  })}`;
}

/** A submit button. `action` is its form value. */
export function button(id: string, action: string, label: string, look = 'first'): Html {
  return html`<button id="${id}" name="action" value="${action}" class="${look}">${label}</button>`;
}

export const cancelButton = button('cancel', 'cancel', 'Cancel', 'second');

/** Stylesheet for light and dark color schemes. */
export const stylesheet = readFileSync(new URL('pages.css', import.meta.url), 'utf8');
