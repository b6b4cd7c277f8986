/** Pages on the hosts of applications, and the start page. They have no scripts and no resources, and follow the browser's language. */
import { createHash } from 'node:crypto';
import { findLanguage, languageOfRequest } from '@vestibule/contract/rules/language';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../platform/http/escape-html.ts';

const style = `
:root{color-scheme:light dark;--ground:#f5f6f2;--card:#fff;--ink:#1b2320;--soft:#55605a;--line:#d9ddd4;--accent:#0b6653;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#14191d;--card:#1c2328;--ink:#e9eded;--soft:#a4b0b2;--line:#2f383e;--accent:#7fd1b9;--on:#14191d}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:20px;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif}
main{max-width:480px;width:100%;padding:32px;border:1px solid var(--line);border-radius:14px;background:var(--card)}
h1{margin:0 0 12px;font-size:22px;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 12px;color:var(--soft);overflow-wrap:anywhere}p:last-child{margin:0}
a{color:var(--accent)}
button{padding:10px 18px;border:0;border-radius:9px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
a:focus-visible,button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;

/** `formTarget`: this site, to which the form redirects. Chromium applies `form-action` to redirects, too. */
const policy = (formTarget: string | null) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formTarget === null ? "'none'" : `'self' ${formTarget}`}`,
    "frame-ancestors 'none'",
  ].join('; ');

type Link = { url: string; label: string };
type Text = { title: string; paragraphs: string[]; links?: Link[]; button?: string };
type Values = {
  product: string;
  application: string;
  email: string;
  support: string;
  home: string;
  url: string;
  /** Address for signing in with another account. */
  switchUrl: string;
};
type Write = (values: Values) => Text;

const inEnglish = {
  noAccess: ({ application, email, support, product, home, switchUrl }) => ({
    title: `You do not have access to ${application}`,
    paragraphs: [
      `You are signed in to ${product} as ${email}.`,
      support
        ? `If you need ${application}, ask ${support}.`
        : `If you need ${application}, ask an administrator of ${product}.`,
    ],
    links: [
      { url: switchUrl, label: 'Use another account' },
      { url: home, label: `Open ${product}` },
    ],
  }),
  disabled: ({ product, email, support }) => ({
    title: 'Your access is disabled',
    paragraphs: [`${email} cannot use ${product} at the moment. Ask ${support || 'an administrator'}.`],
  }),
  unknownHost: ({ product }) => ({
    title: 'This address is not registered',
    paragraphs: [
      `An administrator of ${product} registers applications under “Applications”. Scheme, host name and port must be the same as in the address bar.`,
    ],
  }),
  untrustedProxy: ({ product }) => ({
    title: 'The proxy is not set up completely',
    paragraphs: [
      `${product} accepts this request only from a proxy whose address is in TRUST_PROXY, and which sends X-Forwarded-Host and X-Forwarded-Proto with one value each.`,
    ],
  }),
  sessionNeeded: ({ product, application, home, switchUrl }) => ({
    title: `${application} needs another sign-in method`,
    paragraphs: [
      `Applications cannot use your sign-in to ${product}: Azure AD B2C signs in to the pages of ${product} only.`,
      `Sign in with another method. If there is none, ask an administrator of ${product}.`,
    ],
    links: [
      { url: switchUrl, label: 'Sign in with another method' },
      { url: home, label: `Open ${product}` },
    ],
  }),
  expired: ({ url }) => ({
    title: 'This sign-in has expired',
    paragraphs: ['It was already used, took longer than a minute, or was started in another browser.'],
    links: [{ url, label: 'Try again' }],
  }),
  signOut: ({ product, application }) => ({
    title: 'Sign out?',
    paragraphs: [
      `This signs you out of ${application}, ${product} and all other applications in this browser.`,
    ],
    button: 'Sign out',
  }),
} satisfies Record<string, Write>;

export type PageName = keyof typeof inEnglish;

const inGerman: Record<PageName, Write> = {
  noAccess: ({ application, email, support, product, home, switchUrl }) => ({
    title: `Sie haben keinen Zugang zu ${application}`,
    paragraphs: [
      `Sie sind bei ${product} als ${email} angemeldet.`,
      support
        ? `Wenn Sie ${application} brauchen, wenden Sie sich an ${support}.`
        : `Wenn Sie ${application} brauchen, wenden Sie sich an einen Administrator von ${product}.`,
    ],
    links: [
      { url: switchUrl, label: 'Ein anderes Konto verwenden' },
      { url: home, label: `${product} öffnen` },
    ],
  }),
  disabled: ({ product, email, support }) => ({
    title: 'Ihr Zugang ist gesperrt',
    paragraphs: [
      `${email} kann ${product} derzeit nicht verwenden. Wenden Sie sich an ${support || 'einen Administrator'}.`,
    ],
  }),
  unknownHost: ({ product }) => ({
    title: 'Diese Adresse ist nicht eingetragen',
    paragraphs: [
      `Ein Administrator von ${product} trägt Anwendungen unter „Anwendungen“ ein. Schema, Hostname und Port müssen mit der Adresszeile übereinstimmen.`,
    ],
  }),
  untrustedProxy: ({ product }) => ({
    title: 'Der Proxy ist nicht vollständig eingerichtet',
    paragraphs: [
      `${product} nimmt diese Anfrage nur von einem Proxy an, dessen Adresse in TRUST_PROXY steht und der X-Forwarded-Host und X-Forwarded-Proto mit je einem Wert sendet.`,
    ],
  }),
  sessionNeeded: ({ product, application, home, switchUrl }) => ({
    title: `${application} braucht eine andere Anmeldemethode`,
    paragraphs: [
      `Anwendungen können Ihre Anmeldung bei ${product} nicht verwenden: Azure AD B2C gilt nur für die Seiten von ${product}.`,
      `Melden Sie sich mit einer anderen Methode an. Gibt es keine, wenden Sie sich an einen Administrator von ${product}.`,
    ],
    links: [
      { url: switchUrl, label: 'Mit anderer Methode anmelden' },
      { url: home, label: `${product} öffnen` },
    ],
  }),
  expired: ({ url }) => ({
    title: 'Diese Anmeldung ist abgelaufen',
    paragraphs: [
      'Sie wurde schon verwendet, dauerte länger als eine Minute oder wurde in einem anderen Browser begonnen.',
    ],
    links: [{ url, label: 'Noch einmal versuchen' }],
  }),
  signOut: ({ product, application }) => ({
    title: 'Abmelden?',
    paragraphs: [
      `Damit melden Sie sich in diesem Browser von ${application}, ${product} und allen anderen Anwendungen ab.`,
    ],
    button: 'Abmelden',
  }),
};

const texts: Record<string, Record<PageName, Write>> = { en: inEnglish, de: inGerman };

export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: { name: PageName; status: number; values?: Partial<Values> },
) => Promise<FastifyReply>;

export const createSendPage =
  (deps: {
    publicUrl: string;
    settings: { current(): Promise<{ productName: string; supportEmail: string }> };
  }): SendPage =>
  async ({ headers }, reply, { name, status, values = {} }) => {
    const { productName, supportEmail } = await deps.settings.current();
    const language = findLanguage([languageOfRequest(headers, Object.keys(texts))], Object.keys(texts));
    const text: Text = (texts[language] ?? inEnglish)[name]({
      product: productName,
      support: supportEmail,
      home: `${deps.publicUrl}/`,
      application: '',
      email: '',
      url: '/',
      switchUrl: '/',
      ...values,
    });
    return reply
      .code(status)
      .headers({
        'cache-control': 'no-store',
        'content-security-policy': policy(text.button === undefined ? null : deps.publicUrl),
        vary: 'accept-language, cookie',
      })
      .type('text/html; charset=utf-8')
      .send(render(text, language));
  };

const render = ({ title, paragraphs, links = [], button }: Text, language: string): string => `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((one) => `<p>${escapeHtml(one)}</p>`).join('\n')}
${links.map(({ url, label }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`).join('\n')}
${button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`}
</main></body></html>
`;
