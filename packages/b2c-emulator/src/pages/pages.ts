/**
 * Layout and components of the pages. Only the form_post response page requires a script; pages with
 * passwords have an optional one.
 */
import { createHash } from 'node:crypto';
import type { AuthorizationResponse } from '../authorize/authorization-response.ts';
import { Html, html } from './html.ts';
import { pageTexts } from './page-texts.ts';
import type { Language } from './page-texts.ts';
import { passwordScript } from './password-script.ts';
import type { Brand } from '../tenant/tenant.ts';
import type { Step } from '../tenant/transactions.ts';

/** A page without its layout. */
export type Page = {
  title: string;
  /** Tab title if it differs, for example "Error: …". */
  documentTitle?: string;
  lead?: string | undefined;
  body: Html;
  /** HTTP status. Default: 200. */
  status?: number | undefined;
};

/** Messages by field id. */
export type FieldProblems = Record<string, string>;

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
  inputmode?: string;
  maxlength?: number;
};

export const stylesheetPath = '/b2c-emulator.css';

const submitScript = 'document.forms[0].submit()';
const hashOf = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
const scriptHashes = [submitScript, passwordScript].map(hashOf).join(' ');
const submitScriptElement = new Html(`<script>${submitScript}</script>`);

/** Decorative icon; the name is next to it. */
const mark = html`<svg viewBox="0 0 28 28" aria-hidden="true">
  <path class="arch" d="M4 26V13a10 10 0 0 1 20 0v13z" />
  <path class="door" d="M9 26V13.5A5.5 5.5 0 0 1 14.5 8v18z" />
  <circle class="arch" cx="12.4" cy="17.6" r="1" />
</svg>`;

export function renderDocument(page: Page, language: Language, { name, logo }: Brand): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.documentTitle ?? page.title} · ${name}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${stylesheetPath}" />
      </head>
      <body>
        <main>
          <p class="brand">
            ${logo === null ? mark : html`<img src="${logo}" alt="" />`}<span>${name}</span>
          </p>
          <h1>${page.title}</h1>
          ${page.lead !== undefined && html`<p class="lead">${page.lead}</p>`} ${page.body}
        </main>
        <footer>${pageTexts[language].development}</footer>
      </body>
    </html> `.text;
}

/**
 * Returns the response headers of a page. `formTarget` is the application's URL: browsers apply `form-action`
 * to redirects after a submit, so it must be allowed. Only the form_post response page may be framed.
 */
export function pageHeaders(
  { logo }: Brand,
  formTarget?: string,
  framing: 'none' | 'any' = 'none',
): Record<string, string> {
  const target = formTarget === undefined ? '' : ` ${sourceOf(formTarget)}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src data:${logo === null ? '' : ` ${sourceOf(logo)}`}`,
      `script-src ${scriptHashes}`,
      `form-action 'self'${target}`,
      "base-uri 'none'",
      ...(framing === 'none' ? ["frame-ancestors 'none'"] : []),
    ].join('; '),
    ...(framing === 'none' && { 'x-frame-options': 'DENY' }),
    'x-content-type-options': 'nosniff',
  };
}

function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

/** B2C's form ids: one for password sign-in, one for pages that collect user attributes. */
const formIds: Partial<Record<Step['name'], string>> = {
  'sign-in': 'localAccountForm',
  'sign-up': 'attributeVerification',
  'reset-email': 'attributeVerification',
  'reset-code': 'attributeVerification',
  'reset-password': 'attributeVerification',
  'edit-profile': 'attributeVerification',
};

/** A form with the transaction's CSRF token and the name of its step. */
export function form(csrfToken: string, step: Step['name'], content: Html): Html {
  const id = formIds[step];
  return html`<form method="post" novalidate ${id !== undefined && html`id="${id}"`}>
    <input type="hidden" name="csrf_token" value="${csrfToken}" />
    <input type="hidden" name="step" value="${step}" />
    ${content}
  </form>`;
}

/** Renders fields with their errors. Focuses the first invalid field, otherwise the first empty one. */
export function fields(list: Field[], problems: FieldProblems = {}): Html {
  const focused =
    list.find(({ id }) => problems[id] !== undefined) ??
    list.find(({ readonly, value }) => !readonly && !value);
  return html`${list.map((field) => renderField(field, problems[field.id], field === focused))}`;
}

function renderField(field: Field, problem: string | undefined, focused: boolean): Html {
  const { label, type = 'text', value, note, readonly, autocomplete, inputmode, maxlength } = field;
  const { id: name, elementId: id = name, labelId } = field;
  const described = [problem !== undefined && `${id}-problem`, note !== undefined && `${id}-note`].filter(
    Boolean,
  );
  const attributes = [
    readonly && html` readonly`,
    inputmode && html` inputmode="${inputmode}"`,
    maxlength !== undefined && html` maxlength="${maxlength}"`,
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`,
    problem !== undefined && html` aria-invalid="true"`,
    focused && html` autofocus`,
  ].filter((attribute) => attribute instanceof Html);
  return html`<div class="field">
    <label for="${id}" ${labelId !== undefined && html`id="${labelId}"`}>${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value ?? ''}"
      autocomplete="${autocomplete}"
      spellcheck="false"
      autocapitalize="${autocomplete === 'name' ? 'words' : 'none'}"
      ${attributes}
    />
    ${problem !== undefined && html`<p class="problem" id="${id}-problem" role="alert">${problem}</p>`}
    ${note !== undefined && html`<p class="note" id="${id}-note">${note}</p>`}
  </div> `;
}

/** A submit button. `action` is its form value. */
export function button(
  id: string,
  action: string,
  label: string,
  look: 'first' | 'second' | 'quiet' = 'first',
): Html {
  return html`<button id="${id}" type="submit" name="action" value="${action}" class="${look}">
    ${label}
  </button> `;
}

/** An error about the whole form. */
export function errorBanner(text: string | undefined): Html {
  return html`${text !== undefined && html`<p class="banner wrong" role="alert">${text}</p>`}`;
}

export function noticeBanner(text: string | undefined): Html {
  return html`${text !== undefined && html`<p class="banner good" role="status">${text}</p>`}`;
}

/** A page with a message and, if known, a link to the application. */
export function messagePage(
  language: Language,
  message: { title: string; advice: string; detail?: string; status?: number },
  applicationAddress: string | undefined,
): Page {
  return {
    title: message.title,
    lead: message.advice,
    status: message.status ?? 200,
    body: html`${message.detail !== undefined && html`<p class="detail">${message.detail}</p>`}
    ${applicationAddress !== undefined && html`<a class="button" id="backToApplication" href="${applicationAddress}">${pageTexts[language].back}</a>`}`,
  };
}

/** A page that posts the response to the application (OAuth 2.0 Form Post Response Mode). */
export function formPostPage(language: Language, { redirectUri, parameters }: AuthorizationResponse): Page {
  const texts = pageTexts[language];
  return {
    title: texts.formPostTitle,
    lead: texts.formPost,
    body: html`<form method="post" action="${redirectUri}">
        ${parameters.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button type="submit">${texts.continue}</button>
      </form>
      ${submitScriptElement}`,
  };
}

/** Returns the origin of a redirect URI; undefined for native applications. */
export function getApplicationUrl(redirectUri: string | undefined): string | undefined {
  if (redirectUri === undefined) return undefined;
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'http:' || protocol === 'https:' ? `${origin}/` : undefined;
}
